//===- JSON.cpp - The launch contract -------------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The writer and the reader share a table of the members of each step. A value
// is written as its name, and a constant as its number. The position of a
// constant determines its type.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Artefact/Artefact.h"
#include "Scalars.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir::obs::artefact;
using llvm::ArrayRef;
using llvm::createStringError;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static constexpr int64_t version = 2;

namespace {
/// The members of a step. A step without a name is written in another way.
struct Schema {
  StringRef step, text;
  std::vector<StringRef> operands, lists, bodies;
  /// The number of results. -1 stands for any number, listed in "results".
  int numResults;
};
} // namespace

/// In the order of `Step::Kind`.
static const Schema schemas[] = {
    {"let", "op", {}, {"operands"}, {}, 1},
    {"allocate", "", {}, {"extents"}, {}, 1},
    {"host", "", {}, {"extents"}, {}, 1},
    {"free", "", {"array"}, {}, {}, 0},
    {"fill", "", {"array", "value"}, {}, {}, 0},
    {"copy", "", {"array", "from"}, {}, {}, 0},
    {"view", "", {"array"}, {"extents"}, {}, 1},
    {"view", "", {"array", "offset"}, {"extents"}, {}, 1},
    {"strided", "", {"array", "offset"}, {"extents", "strides"}, {}, 1},
    {"part", "", {"array"}, {"offsets", "extents", "strides"}, {}, 1},
    {"cast", "type", {"array"}, {"extents"}, {}, 1},
    {"load", "", {"array"}, {"at"}, {}, 1},
    {"store", "", {"value", "array"}, {"at"}, {}, 0},
    {"launch",
     "kernel",
     {"grid", "block", "sharedBytes", "gridY", "gridZ", "blockY", "blockZ"},
     {"arguments"},
     {},
     0},
    {"for", "compare", {"from", "to", "by"}, {"", "next"}, {"steps"}, -1},
    {"while", "", {"condition"}, {"", "passed", "next"}, {"test", "steps"}, -1},
    {"if",
     "",
     {"condition"},
     {"thenValues", "elseValues"},
     {"then", "else"},
     -1},
    {"assert", "message", {"condition"}, {}, {}, 0},
    {"print", "format", {}, {"values"}, {}, 0}};

/// Members that are omitted if they are 1.
static bool isOptional(StringRef member) {
  return member.ends_with("Y") || member.ends_with("Z");
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
class FunctionWriter {
public:
  explicit FunctionWriter(const Function &function) : function(function) {}
  json::Object write();

private:
  std::string spell(ValueNumber number) {
    const PlanValue &value = function.values[number];
    return value.isConstant ? expressConstant(value.elementType, value.bits)
                            : value.name;
  }
  json::Array spellAll(ArrayRef<ValueNumber> numbers) {
    json::Array array;
    for (ValueNumber number : numbers)
      array.push_back(spell(number));
    return array;
  }
  json::Array getTypes(ArrayRef<ValueNumber> numbers) {
    json::Array array;
    for (ValueNumber number : numbers)
      array.push_back(function.values[number].elementType);
    return array;
  }
  json::Array writeSteps(ArrayRef<Step> steps);
  json::Object writeStep(const Step &step);
  void writeLet(const Step &step, json::Object &object);
  void writeCarried(const Step &step, json::Object &object);
  static json::Object writeType(StringRef elementType, int rank);
  static json::Object writeSlot(const Slot &slot);

  const Function &function;
};
} // namespace

json::Object FunctionWriter::writeType(StringRef elementType, int rank) {
  json::Object object{{"kind", rank < 0 ? "scalar" : "array"},
                      {"elementType", elementType.str()},
                      {"size", getElementBytes(elementType)}};
  if (rank >= 0)
    object["rank"] = rank;
  return object;
}

json::Object FunctionWriter::writeSlot(const Slot &slot) {
  json::Object object = writeType(
      slot.elementType, slot.isScalar ? -1 : int(slot.extents.size()));
  object["type"] = slot.type;
  object["index"] = slot.index;
  for (auto [key, numbers] :
       {std::make_pair("extents", &slot.extents), {"bounds", &slot.bounds}}) {
    json::Array array;
    for (int64_t number : *numbers)
      array.push_back(number < 0 ? json::Value(nullptr) : json::Value(number));
    if (!slot.isScalar)
      object[key] = std::move(array);
  }
  return object;
}

void FunctionWriter::writeLet(const Step &step, json::Object &object) {
  llvm::SmallVector<Operand> operands;
  for (ValueNumber number : step.lists[0])
    operands.push_back({spell(number), function.values[number].elementType});
  StringRef type = function.values[step.results[0]].elementType;
  object["of"] = getTypes(step.lists[0]);
  object["type"] = type.str();
  if (std::string text = express(step.text, operands, type); !text.empty())
    object["value"] = text;
}

/// The values with which a loop begins, under their names in the loop.
void FunctionWriter::writeCarried(const Step &step, json::Object &object) {
  ArrayRef<ValueNumber> inner = step.inner;
  if (step.kind == Step::For) {
    object["name"] = spell(inner.front());
    inner = inner.drop_front();
  } else {
    object["names"] = spellAll(inner.drop_front(step.lists[0].size()));
  }
  json::Array carried;
  for (auto [name, initial] : llvm::zip(inner, step.lists[0]))
    carried.push_back(
        json::Object{{"name", spell(name)}, {"initial", spell(initial)}});
  object["carried"] = std::move(carried);
}

json::Object FunctionWriter::writeStep(const Step &step) {
  const Schema &schema = schemas[step.kind];
  json::Object object{{"step", schema.step}};
  if (!step.location.empty())
    object["location"] = step.location;
  if (!schema.text.empty() && !(step.kind == Step::For && step.text.empty()))
    object[schema.text] = step.text;
  for (auto [member, number] : llvm::zip(schema.operands, step.operands))
    if (std::string text = spell(number); !isOptional(member) || text != "1")
      object[member] = text;
  for (auto [member, list] : llvm::zip(schema.lists, step.lists))
    if (!member.empty())
      object[member] = spellAll(list);
  for (auto [member, body] : llvm::zip(schema.bodies, step.bodies))
    object[member] = writeSteps(body);
  if (schema.numResults == 1 && step.results.size() == 1)
    object["name"] = spell(step.results[0]);
  else if (schema.numResults != 0)
    object["results"] = spellAll(step.results);
  if (step.kind == Step::Let)
    writeLet(step, object);
  if (step.kind == Step::For || step.kind == Step::While)
    writeCarried(step, object);
  if (step.kind == Step::Print)
    object["types"] = getTypes(step.lists[0]);
  if (step.kind == Step::Slice && !step.dropped.empty())
    object["dropped"] = json::Array(step.dropped);
  if (step.kind == Step::Allocate || step.kind == Step::Host) {
    StringRef type = function.values[step.results[0]].elementType;
    object["elementType"] = type.str();
    object["size"] = getElementBytes(type);
  }
  return object;
}

json::Array FunctionWriter::writeSteps(ArrayRef<Step> steps) {
  json::Array array;
  for (const Step &step : steps)
    array.push_back(writeStep(step));
  return array;
}

json::Object FunctionWriter::write() {
  json::Array parameters, results, values;
  for (const Slot &slot : function.parameters) {
    parameters.push_back(writeSlot(slot));
    (*parameters.back().getAsObject())["name"] = slot.name;
  }
  for (const PlanValue &value :
       ArrayRef(function.values).drop_front(function.parameters.size()))
    if (!value.isConstant) {
      values.push_back(writeType(value.elementType, value.rank));
      (*values.back().getAsObject())["name"] = value.name;
    }
  json::Object object{{"name", function.name},
                      {"location", function.location},
                      {"parameters", std::move(parameters)}};
  for (auto [index, slot] : llvm::enumerate(function.results)) {
    results.push_back(writeSlot(slot));
    if (index < function.returned.size())
      (*results.back().getAsObject())["value"] =
          spell(function.returned[index]);
  }
  object["results"] = std::move(results);
  if (const Step *step = function.findUnsupported()) {
    object["unsupported"] = step->text;
    return object;
  }
  object["returnLocation"] = function.returnLocation;
  object["values"] = std::move(values);
  object["steps"] = writeSteps(function.steps);
  return object;
}

llvm::Expected<json::Value>
mlir::obs::artefact::toJSON(const Artefact &artefact) {
  json::Array kernels, functions;
  for (const Kernel &kernel : artefact.kernels) {
    if (kernel.contract.empty())
      return createStringError(
          kernel.location + (kernel.location.empty() ? "" : ": ") + "kernel '" +
          kernel.name +
          "' is never launched, so nothing is known of its launch");
    kernels.push_back(json::Object(kernel.contract));
  }
  for (const Function &function : artefact.functions)
    functions.push_back(FunctionWriter(function).write());
  return json::Object{{"version", version},
                      {"target", artefact.chip},
                      {"kernels", std::move(kernels)},
                      {"functions", std::move(functions)}};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads a function. Keeps the first problem; the rest is then not used.
class FunctionReader {
public:
  FunctionReader(const Artefact &artefact, std::string &problem)
      : artefact(artefact), problem(problem) {}
  Function read(const json::Object &object);

private:
  bool check(bool condition, const Twine &what) {
    if (!condition && problem.empty())
      problem = (where + (where.empty() ? "" : ": ") + what).str();
    return condition;
  }
  StringRef getText(const json::Object &object, StringRef key) {
    std::optional<StringRef> text = object.getString(key);
    return check(text.has_value(), "'" + key + "' is missing") ? *text : "";
  }
  const json::Array &getArray(const json::Object &object, StringRef key) {
    static const json::Array none;
    const json::Array *array = object.getArray(key);
    return check(array, "'" + key + "' is missing") ? *array : none;
  }
  const json::Object &getObject(const json::Value &value) {
    static const json::Object none;
    const json::Object *object = value.getAsObject();
    return check(object, "an object is missing") ? *object : none;
  }
  StringRef getText(const json::Value &value) {
    std::optional<StringRef> text = value.getAsString();
    return check(text.has_value(), "a text is missing") ? *text : "";
  }

  Slot readSlot(const json::Object &object);
  void declare(const json::Object &object);
  /// Declares a name, which can be used from now on.
  ValueNumber define(StringRef name);
  ValueList defineAll(const json::Array &names) {
    ValueList list;
    for (const json::Value &name : names)
      list.push_back(define(getText(name)));
    return list;
  }
  /// A declared name, or a constant of `type`. Arrays have rank `rank`, which
  /// is not checked if it is `anyRank`.
  ValueNumber use(StringRef text, StringRef type, int rank = -1);
  ValueList useAll(const json::Array &texts, ArrayRef<ValueNumber> like);
  ValueList useIndices(const json::Array &texts) {
    ValueList list;
    for (const json::Value &text : texts)
      list.push_back(use(getText(text), "index"));
    return list;
  }
  ValueNumber useArray(const json::Object &object, StringRef key) {
    return use(getText(object, key), "", anyRank);
  }
  const PlanValue &get(ValueNumber number) { return function.values[number]; }

  std::vector<Step> readBody(const json::Object &object, StringRef key);
  Step readStep(const json::Object &object);
  void readLoop(const json::Object &object, Step &step);
  void readLaunch(const json::Object &object, Step &step);
  void readLists(const json::Object &object, Step &step);
  bool hasRightRanks(const Step &step);

  static constexpr int anyRank = -2;
  const Artefact &artefact;
  std::string &problem;
  std::string where;
  Function function;
  llvm::StringMap<ValueNumber> numbers;
  std::vector<char> inUse;
};
} // namespace

Slot FunctionReader::readSlot(const json::Object &object) {
  Slot slot;
  slot.type = getText(object, "type").str();
  slot.elementType = getText(object, "elementType").str();
  slot.index = object.getInteger("index").value_or(0);
  slot.isScalar = getText(object, "kind") == "scalar";
  if (!slot.isScalar)
    for (auto [key, numbers] :
         {std::make_pair("extents", &slot.extents), {"bounds", &slot.bounds}})
      for (const json::Value &number : getArray(object, key))
        numbers->push_back(number.getAsInteger().value_or(INT64_MIN));
  check(slot.extents.size() == slot.bounds.size(), "extents without bounds");
  return slot;
}

void FunctionReader::declare(const json::Object &object) {
  PlanValue value;
  value.name = getText(object, "name").str();
  value.elementType = getText(object, "elementType").str();
  if (getText(object, "kind") == "array")
    value.rank = object.getInteger("rank").value_or(0);
  unsigned bits = mlir::obs::artefact::getElementBits(value.elementType);
  check(bits > 0 && bits <= 64 && value.rank >= -1 && value.rank < 64,
        "the type of '" + value.name + "' is not valid");
  check(numbers.try_emplace(value.name, function.values.size()).second,
        "two values have the name '" + value.name + "'");
  function.values.push_back(std::move(value));
  inUse.push_back(false);
}

ValueNumber FunctionReader::define(StringRef name) {
  auto found = numbers.find(name);
  if (!check(found != numbers.end() && !inUse[found->second],
             "'" + name + "' is defined and not declared, or defined twice"))
    return 0;
  inUse[found->second] = true;
  return found->second;
}

ValueNumber FunctionReader::use(StringRef text, StringRef type, int rank) {
  if (auto found = numbers.find(text); found != numbers.end()) {
    const PlanValue &value = get(found->second);
    bool isRight = rank == anyRank
                       ? value.rank >= 0
                       : value.rank == rank && value.elementType == type;
    check(inUse[found->second] && isRight,
          "'" + text + "' is not defined here, or has another type");
    return found->second;
  }
  std::optional<uint64_t> bits =
      rank == -1 ? readConstant(type, text) : std::nullopt;
  check(bits.has_value(), "'" + text + "' is no value");
  function.values.push_back({"", type.str(), -1, true, bits.value_or(0)});
  inUse.push_back(true);
  return function.values.size() - 1;
}

ValueList FunctionReader::useAll(const json::Array &texts,
                                 ArrayRef<ValueNumber> like) {
  ValueList list;
  check(texts.size() == like.size(), "a list has another length");
  for (auto [text, other] : llvm::zip(texts, like)) {
    PlanValue type = get(other);
    list.push_back(use(getText(text), type.elementType, type.rank));
  }
  return list;
}

/// True if each array of the step has the rank that the step requires.
bool FunctionReader::hasRightRanks(const Step &step) {
  auto rank = [&](const ValueList &list, unsigned n = 0) {
    return get(list[n]).rank;
  };
  int size = step.lists.empty() ? 0 : step.lists[0].size();
  switch (step.kind) {
  case Step::Allocate:
  case Step::Host:
  case Step::View:
  case Step::Part:
    return rank(step.results) == size;
  case Step::Strided:
    return rank(step.results) == size && int(step.lists[1].size()) == size;
  case Step::Cast:
    return rank(step.results) == size && rank(step.operands) == size;
  case Step::Slice:
    return rank(step.operands) == size && int(step.lists[1].size()) == size &&
           int(step.lists[2].size()) == size &&
           rank(step.results) == size - int(step.dropped.size()) &&
           llvm::all_of(step.dropped, [&](int d) { return d < size; });
  case Step::Load:
    return rank(step.operands) == size && rank(step.results) < 0;
  case Step::Store:
    return rank(step.operands, 1) == size;
  default:
    return true;
  }
}

void FunctionReader::readLoop(const json::Object &object, Step &step) {
  ValueList carried;
  if (step.kind == Step::For)
    step.inner.push_back(define(getText(object, "name")));
  json::Array initial;
  for (const json::Value &pair : getArray(object, "carried")) {
    carried.push_back(define(getText(getObject(pair), "name")));
    initial.push_back(getText(getObject(pair), "initial"));
  }
  if (!problem.empty())
    return;
  step.lists.push_back(useAll(initial, carried));
  llvm::append_range(step.inner, carried);
  if (step.kind == Step::For) {
    StringRef type = get(step.inner[0]).elementType;
    std::string copy = type.str();
    for (StringRef key : {"from", "to", "by"})
      step.operands.push_back(use(getText(object, key), copy));
    step.bodies.push_back(readBody(object, "steps"));
    step.lists.push_back(useAll(getArray(object, "next"), carried));
    return;
  }
  step.bodies.push_back(readBody(object, "test"));
  step.operands.push_back(use(getText(object, "condition"), "i1"));
  ValueList names = defineAll(getArray(object, "names"));
  step.lists.push_back(useAll(getArray(object, "passed"), names));
  llvm::append_range(step.inner, names);
  step.bodies.push_back(readBody(object, "steps"));
  step.lists.push_back(useAll(getArray(object, "next"), carried));
}

void FunctionReader::readLaunch(const json::Object &object, Step &step) {
  for (StringRef member : schemas[Step::Launch].operands)
    step.operands.push_back(
        isOptional(member) && !object.get(member)
            ? use("1", "index")
            : use(getText(object, member),
                  member == "sharedBytes" ? "i32" : "index"));
  const PlanValue &shared = get(step.operands[2]);
  if (!check(!shared.isConstant || static_cast<int32_t>(shared.bits) >= 0,
             "'sharedBytes' is negative"))
    return;
  const Kernel *kernel = artefact.findKernel(step.text);
  const json::Array &arguments = getArray(object, "arguments");
  if (!check(kernel && kernel->getNumParameters() == arguments.size(),
             "there is no such kernel '" + step.text + "'"))
    return;
  step.lists.emplace_back();
  for (auto [number, text] : llvm::enumerate(arguments)) {
    bool isArray = kernel->isArray(number);
    step.lists[0].push_back(use(getText(text), kernel->getElementType(number),
                                isArray ? anyRank : -1));
  }
}

void FunctionReader::readLists(const json::Object &object, Step &step) {
  if (step.kind == Step::Let || step.kind == Step::Print) {
    StringRef key = step.kind == Step::Let ? "of" : "types";
    const json::Array &types = getArray(object, key);
    const json::Array &texts =
        getArray(object, schemas[step.kind].lists.front());
    check(types.size() == texts.size(), "a list has another length");
    step.lists.emplace_back();
    for (auto [text, type] : llvm::zip(texts, types)) {
      auto found = numbers.find(getText(text));
      int rank = found == numbers.end() ? -1 : get(found->second).rank;
      step.lists[0].push_back(use(getText(text), getText(type), rank));
    }
    return;
  }
  for (StringRef member : schemas[step.kind].lists)
    step.lists.push_back(useIndices(getArray(object, member)));
}

Step FunctionReader::readStep(const json::Object &object) {
  Step step;
  step.number = function.numSteps++;
  step.location = object.getString("location").value_or("").str();
  where = step.location.empty() ? function.name : step.location;
  StringRef kind = getText(object, "step");
  const Schema *schema = llvm::find_if(
      schemas, [&](const Schema &other) { return other.step == kind; });
  if (!check(schema != std::end(schemas), "there is no step '" + kind + "'"))
    return step;
  step.kind = static_cast<Step::Kind>(schema - schemas);
  if (step.kind == Step::View && object.get("offset"))
    schema = &schemas[step.kind = Step::Part];
  if (!schema->text.empty())
    step.text = step.kind == Step::For
                    ? object.getString("compare").value_or("").str()
                    : getText(object, schema->text).str();
  auto defineResults = [&] {
    if (schema->numResults == 1 && object.get("name"))
      step.results.push_back(define(getText(object, "name")));
    else if (schema->numResults != 0)
      step.results = defineAll(getArray(object, "results"));
  };
  switch (step.kind) {
  case Step::For:
  case Step::While: {
    std::vector<char> outside = inUse;
    readLoop(object, step);
    outside.resize(inUse.size(), true);
    inUse = std::move(outside);
    defineResults();
    const ValueList &like = step.inner;
    unsigned skipped = step.kind == Step::For ? 1 : 0;
    check(!problem.empty() ||
              step.results.size() == (step.kind == Step::For
                                          ? like.size() - skipped
                                          : step.lists[1].size()),
          "a loop has another number of results");
    return step;
  }
  case Step::If:
    step.operands.push_back(use(getText(object, "condition"), "i1"));
    for (auto [member, list] : llvm::zip(schema->bodies, schema->lists)) {
      std::vector<char> outside = inUse;
      step.bodies.push_back(readBody(object, member));
      // The results are not declared yet, but their types are known.
      ValueList like;
      for (const json::Value &name : getArray(object, "results"))
        if (auto found = numbers.find(getText(name));
            check(found != numbers.end(), "a result is not declared"))
          like.push_back(found->second);
      step.lists.push_back(useAll(getArray(object, list), like));
      outside.resize(inUse.size(), true);
      inUse = std::move(outside);
    }
    defineResults();
    return step;
  case Step::Launch:
    readLaunch(object, step);
    return step;
  default:
    break;
  }
  for (StringRef member : schema->operands) {
    if (member == "array" || member == "from") {
      step.operands.push_back(useArray(object, member));
      continue;
    }
    bool isElement = member == "value";
    StringRef type = member == "condition" ? "i1" : "index";
    std::string copy = type.str();
    if (isElement)
      copy = get(useArray(object, "array")).elementType;
    step.operands.push_back(use(getText(object, member), copy));
  }
  readLists(object, step);
  if (const json::Array *dropped = object.getArray("dropped"))
    for (const json::Value &dim : *dropped)
      step.dropped.push_back(dim.getAsInteger().value_or(INT32_MAX));
  defineResults();
  check(!problem.empty() || hasRightRanks(step), "an array has another rank");
  return step;
}

std::vector<Step> FunctionReader::readBody(const json::Object &object,
                                           StringRef key) {
  std::vector<Step> steps;
  for (const json::Value &step : getArray(object, key)) {
    if (!problem.empty())
      break;
    steps.push_back(readStep(getObject(step)));
  }
  return steps;
}

Function FunctionReader::read(const json::Object &object) {
  function.name = where = getText(object, "name").str();
  function.location = object.getString("location").value_or("").str();
  function.returnLocation =
      object.getString("returnLocation").value_or("").str();
  for (const json::Value &value : getArray(object, "parameters")) {
    function.parameters.push_back(readSlot(getObject(value)));
    function.parameters.back().name = getText(getObject(value), "name").str();
    declare(getObject(value));
    inUse.back() = true;
  }
  if (std::optional<StringRef> name = object.getString("unsupported")) {
    Step step;
    step.kind = Step::Unsupported;
    step.text = name->str();
    function.numSteps = 1;
    function.steps.push_back(std::move(step));
  } else {
    for (const json::Value &value : getArray(object, "values"))
      declare(getObject(value));
    function.steps = readBody(object, "steps");
  }
  for (const json::Value &value : getArray(object, "results")) {
    function.results.push_back(readSlot(getObject(value)));
    const Slot &slot = function.results.back();
    if (problem.empty() && !object.get("unsupported"))
      function.returned.push_back(
          use(getText(getObject(value), "value"), slot.elementType,
              slot.isScalar ? -1 : int(slot.extents.size())));
  }
  return std::move(function);
}

llvm::Expected<Artefact> mlir::obs::artefact::fromJSON(StringRef text) {
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return parsed.takeError();
  Artefact artefact;
  std::string problem;
  const json::Object *object = parsed->getAsObject();
  auto *kernels = object ? object->getArray("kernels") : nullptr;
  auto *functions = object ? object->getArray("functions") : nullptr;
  if (!kernels || !functions || object->getInteger("version") != version)
    return createStringError("this is no launch contract of version " +
                             Twine(version));
  artefact.chip = object->getString("target").value_or("").str();
  for (const json::Value &value : *kernels) {
    auto *contract = value.getAsObject();
    auto name = contract ? contract->getString("entry") : std::nullopt;
    auto *parameters = contract ? contract->getArray("parameters") : nullptr;
    if (!name || !parameters ||
        llvm::any_of(*parameters, [](const json::Value &p) {
          auto *o = p.getAsObject();
          auto type = o ? o->getString("elementType") : std::nullopt;
          return !type || !o->getString("kind") ||
                 mlir::obs::artefact::getElementBits(*type) == 0 ||
                 o->getInteger("alignment").value_or(1) < 1;
        }))
      return createStringError("a kernel of the contract is not complete");
    artefact.kernels.push_back(
        {name->str(), contract->getString("module").value_or("kernels").str(),
         "", *contract});
  }
  for (const json::Value &value : *functions) {
    const json::Object *function = value.getAsObject();
    if (!function)
      return createStringError("a function of the contract is no object");
    artefact.functions.push_back(
        FunctionReader(artefact, problem).read(*function));
    if (!problem.empty())
      return createStringError("the contract is not valid: " + problem);
  }
  return artefact;
}
