//===- JSON.cpp - The launch contract -------------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract contains a value as its name, and a constant as its number. The
// position of a constant determines its type.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Artefact/Artefact.h"
#include "Scalars.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir::obs::artefact;
using llvm::ArrayRef;
using llvm::createStringError;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static constexpr int64_t version = 2;

/// Stands for the rank of an array where any rank is possible.
static constexpr int anyRank = -2;

namespace {
/// The members of a step. The lists have one index for each dimension of the
/// result. For launches, control flow and steps whose lists have types,
/// `FunctionReader` describes the members that are not here.
struct Schema {
  StringRef step, text = "";
  std::vector<StringRef> operands = {}, lists = {};
  enum { None, Scalar, Array } result = None;
  /// True if the lists have one index for each dimension of `array`.
  bool isOfArray = false;
};
} // namespace

/// In the order of `Step::Kind`.
static const Schema schemas[] = {
    {"let", "op"},
    {"allocate", "", {}, {"extents"}, Schema::Array},
    {"host", "", {}, {"extents"}, Schema::Array},
    {"free", "", {"array"}},
    {"fill", "", {"array", "value"}},
    {"copy", "", {"array", "from"}},
    {"view", "", {"array"}, {"extents"}, Schema::Array},
    {"view", "", {"array", "offset"}, {"extents"}, Schema::Array},
    {"strided", "", {"array", "offset"}, {"extents", "strides"}, Schema::Array},
    {"part",
     "",
     {"array"},
     {"offsets", "extents", "strides"},
     Schema::Array,
     true},
    {"cast", "type", {"array"}, {"extents"}, Schema::Array, true},
    {"load", "", {"array"}, {"at"}, Schema::Scalar, true},
    {"store", "", {"value", "array"}, {"at"}, Schema::None, true},
    {"launch", "kernel"},
    {"for"},
    {"while"},
    {"if"},
    {"assert", "message", {"condition"}},
    {"print", "format"}};

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
/// Reads a function. Keeps the first problem; what is read after it is not
/// used.
class FunctionReader {
public:
  FunctionReader(const Artefact &artefact, Function &function)
      : artefact(artefact), function(function), object(&function.contract) {}
  /// Returns the problem, or empty text.
  std::string read() {
    function.name = where = getText("name").str();
    function.location = getOptional("location");
    function.returnLocation = getOptional("returnLocation");
    readAll("parameters", [&] {
      function.parameters.push_back(readSlot());
      function.parameters.back().name = getText("name").str();
      declare(getText("name"), readType());
      inUse.back() = true;
    });
    std::optional<StringRef> unsupported = object->getString("unsupported");
    if (unsupported) {
      Step &step = function.steps.emplace_back();
      step.kind = Step::Unsupported;
      step.text = unsupported->str();
      function.numSteps = 1;
    } else {
      readAll("values", [&] { declare(getText("name"), readType()); });
      function.steps = readBody("steps");
      where = function.name;
    }
    readAll("results", [&] {
      function.results.push_back(readSlot());
      if (!unsupported)
        function.returned.push_back(resolve(getText("value"), readType()));
    });
    return problem;
  }

private:
  bool check(bool condition, const Twine &what) {
    if (!condition && problem.empty())
      problem = (where + (where.empty() ? "" : ": ") + what).str();
    return condition;
  }

  // Members of `object`.
  StringRef getText(StringRef key) {
    std::optional<StringRef> text = object->getString(key);
    check(text.has_value(), "'" + key + "' is missing");
    return text.value_or("");
  }
  std::string getOptional(StringRef key) {
    return object->getString(key).value_or("").str();
  }
  const json::Array &getArray(StringRef key) {
    static const json::Array none;
    const json::Array *array = object->getArray(key);
    return check(array, "'" + key + "' is missing") ? *array : none;
  }
  SmallVector<StringRef> getTexts(StringRef key) {
    return llvm::map_to_vector(getArray(key), [&](const json::Value &value) {
      std::optional<StringRef> text = value.getAsString();
      check(text.has_value(), "a text is missing");
      return text.value_or("");
    });
  }
  /// Calls `read` for each object in a list, which is `object` meanwhile.
  void readAll(StringRef key, llvm::function_ref<void()> read) {
    const json::Object *outer = object;
    for (const json::Value &value : getArray(key)) {
      object = value.getAsObject();
      if (check(object, "an object is missing"))
        read();
      if (!problem.empty())
        break;
    }
    object = outer;
  }

  const PlanValue &get(ValueNumber number) { return function.values[number]; }
  /// Adds a value with this name, which must not be used yet.
  void declare(StringRef name, PlanValue value) {
    value.name = name.str();
    unsigned bits = mlir::obs::artefact::getElementBits(value.elementType);
    check(bits > 0 && bits <= 64 && value.rank >= -1 && value.rank < 64,
          "the type of '" + name + "' is not valid");
    check(numbers.try_emplace(name, function.values.size()).second,
          "two values have the name '" + name + "'");
    function.values.push_back(std::move(value));
    inUse.push_back(false);
  }
  ValueNumber find(StringRef name) {
    auto found = numbers.find(name);
    if (check(found != numbers.end(), "'" + name + "' is not declared"))
      return found->second;
    function.values.emplace_back();
    inUse.push_back(false);
    return function.values.size() - 1;
  }
  ValueList findAll(ArrayRef<StringRef> names) {
    ValueList list;
    for (StringRef name : names)
      list.push_back(find(name));
    return list;
  }
  /// From now on, the values can be used.
  void begin(ArrayRef<ValueNumber> values) {
    for (ValueNumber number : values) {
      check(!inUse[number], "'" + get(number).name + "' is defined twice");
      inUse[number] = true;
    }
  }
  /// The values that begin in `read` cannot be used after it.
  void readScope(llvm::function_ref<void()> read) {
    std::vector<char> outside = inUse;
    read();
    outside.resize(inUse.size(), true);
    inUse = std::move(outside);
  }

  /// The value with this name, which has the type of `like`, or the constant of
  /// this type.
  ValueNumber resolve(StringRef text, PlanValue like) {
    if (auto found = numbers.find(text); found != numbers.end()) {
      const PlanValue &value = get(found->second);
      bool isRight = like.rank == anyRank
                         ? value.rank >= 0
                         : value.rank == like.rank &&
                               value.elementType == like.elementType;
      check(inUse[found->second] && isRight,
            "'" + text + "' is not defined here, or has another type");
      return found->second;
    }
    std::optional<uint64_t> bits =
        like.rank == -1 ? readConstant(like.elementType, text) : std::nullopt;
    check(bits.has_value(), "'" + text + "' is no value");
    function.values.push_back(
        {"", like.elementType, -1, true, bits.value_or(0)});
    inUse.push_back(true);
    return function.values.size() - 1;
  }
  /// The type of the value with this name; `index` if there is none.
  PlanValue getType(StringRef text) {
    auto found = numbers.find(text);
    return found == numbers.end() ? PlanValue{"", "index"} : get(found->second);
  }
  ValueNumber use(StringRef key, StringRef type = "index") {
    return resolve(getText(key), {"", type.str()});
  }
  ValueNumber useArray(StringRef key) {
    return resolve(getText(key), {"", "", anyRank});
  }
  /// A list of values of these types.
  ValueList useAll(StringRef key, ArrayRef<PlanValue> types) {
    SmallVector<StringRef> texts = getTexts(key);
    ValueList list;
    if (check(texts.size() == types.size(), "a list has another length"))
      for (auto [text, type] : llvm::zip(texts, types))
        list.push_back(resolve(text, type));
    return list;
  }
  ValueList useIndices(StringRef key, size_t count) {
    return useAll(key, std::vector<PlanValue>(count, {"", "index"}));
  }
  /// Values of the types of others.
  ValueList useLike(StringRef key, ArrayRef<ValueNumber> others) {
    return useAll(key, llvm::map_to_vector(others, [&](ValueNumber number) {
                    return get(number);
                  }));
  }
  /// Values whose element types are the member `key`.
  ValueList useTyped(StringRef values, StringRef key) {
    SmallVector<StringRef> texts = getTexts(values);
    std::vector<PlanValue> types;
    for (auto [index, type] : llvm::enumerate(getTexts(key))) {
      StringRef text = index < texts.size() ? texts[index] : "";
      types.push_back({"", type.str(), getType(text).rank});
    }
    return useAll(values, types);
  }

  /// The type of a parameter, a result or another value.
  PlanValue readType() {
    PlanValue type{"", getText("elementType").str()};
    if (getText("kind") == "array")
      type.rank = object->getInteger("rank").value_or(0);
    return type;
  }

  Slot readSlot() {
    PlanValue type = readType();
    Slot slot;
    slot.type = getText("type").str();
    slot.elementType = type.elementType;
    slot.index = object->getInteger("index").value_or(0);
    slot.isScalar = type.rank < 0;
    for (auto [key, numbers] :
         {std::make_pair("extents", &slot.extents), {"bounds", &slot.bounds}}) {
      if (slot.isScalar)
        continue;
      for (const json::Value &number : getArray(key))
        numbers->push_back(number.getAsInteger().value_or(INT64_MIN));
      check(int(numbers->size()) == type.rank, "an array has another rank");
    }
    return slot;
  }

  std::vector<Step> readBody(StringRef key) {
    std::vector<Step> steps;
    readAll(key, [&] { steps.push_back(readStep()); });
    return steps;
  }

  Step readStep() {
    Step step;
    step.number = function.numSteps++;
    step.location = getOptional("location");
    where = step.location.empty() ? function.name : step.location;
    StringRef name = getText("step");
    const Schema *found =
        llvm::find_if(schemas, [&](auto &other) { return other.step == name; });
    if (!check(found != std::end(schemas), "there is no step '" + name + "'"))
      return step;
    step.kind = static_cast<Step::Kind>(found - schemas);
    if (step.kind == Step::View && object->get("offset"))
      step.kind = Step::Part;
    const Schema &schema = schemas[step.kind];
    if (!schema.text.empty())
      step.text = getText(schema.text).str();
    switch (step.kind) {
    case Step::Let:
      step.lists = {useTyped("operands", "of")};
      step.results =
          findAll(object->get("name") ? SmallVector<StringRef>{getText("name")}
                                      : getTexts("results"));
      break;
    case Step::Launch:
      readLaunch(step);
      break;
    case Step::For:
    case Step::While:
      step.results = findAll(getTexts("results"));
      readScope([&] { readLoop(step); });
      break;
    case Step::If:
      step.results = findAll(getTexts("results"));
      step.operands = {use("condition", "i1")};
      for (auto [body, values] :
           {std::make_pair("then", "thenValues"), {"else", "elseValues"}})
        readScope([&, body = body, values = values] {
          step.bodies.push_back(readBody(body));
          step.lists.push_back(useLike(values, step.results));
        });
      break;
    case Step::Print:
      step.lists = {useTyped("values", "types")};
      break;
    default:
      readMembers(schema, step);
    }
    begin(step.results);
    return step;
  }

  void readMembers(const Schema &schema, Step &step) {
    int rank = schema.lists.empty() ? 0 : getArray(schema.lists[0]).size();
    for (StringRef member : schema.lists)
      step.lists.push_back(useIndices(member, rank));
    for (StringRef member : schema.operands) {
      std::string type = member == "condition" ? "i1" : "index";
      if (member == "value")
        type = get(useArray("array")).elementType;
      step.operands.push_back(member == "array" || member == "from"
                                  ? useArray(member)
                                  : use(member, type));
      check(member != "array" || !schema.isOfArray ||
                get(step.operands.back()).rank == rank,
            "an array has another rank");
    }
    if (step.kind == Step::Slice && object->get("dropped"))
      for (const json::Value &value : getArray("dropped")) {
        int64_t dim = value.getAsInteger().value_or(-1);
        check(dim >= 0 && dim < rank &&
                  (step.dropped.empty() || dim > step.dropped.back()),
              "an array has another rank");
        step.dropped.push_back(dim);
      }
    if (schema.result == Schema::None)
      return;
    step.results = {find(getText("name"))};
    check(get(step.results[0]).rank == (schema.result == Schema::Array
                                            ? rank - int(step.dropped.size())
                                            : -1),
          "an array has another rank");
  }

  void readLoop(Step &step) {
    ValueList carried;
    step.lists.emplace_back();
    readAll("carried", [&] {
      carried.push_back(find(getText("name")));
      step.lists[0].push_back(resolve(getText("initial"), get(carried.back())));
    });
    ValueList inner;
    if (step.kind == Step::For) {
      step.text = getOptional("compare");
      inner = {find(getText("name"))};
      for (StringRef key : {"from", "to", "by"})
        step.operands.push_back(resolve(getText(key), get(inner[0])));
      begin(carried);
    } else {
      begin(carried);
      inner = findAll(getTexts("names"));
      step.bodies.push_back(readBody("test"));
      step.operands = {use("condition", "i1")};
      step.lists.push_back(useLike("passed", inner));
    }
    begin(inner);
    step.bodies.push_back(readBody("steps"));
    step.lists.push_back(useLike("next", carried));
    const ValueList &last = step.kind == Step::For ? carried : inner;
    check(llvm::equal(step.results, last,
                      [&](ValueNumber a, ValueNumber b) {
                        return get(a).rank == get(b).rank &&
                               get(a).elementType == get(b).elementType;
                      }),
          "a loop has other results");
    step.inner = std::move(carried);
    llvm::append_range(step.inner, inner);
  }

  void readLaunch(Step &step) {
    // The numbers of blocks and threads are integers of any type.
    auto useNumber = [&](StringRef key) {
      return use(key, getType(getText(key)).elementType);
    };
    step.operands = {useNumber("grid"), useNumber("block"),
                     use("sharedBytes", "i32")};
    for (StringRef key : {"gridY", "gridZ", "blockY", "blockZ"})
      step.operands.push_back(object->get(key) ? useNumber(key)
                                               : resolve("1", {"", "index"}));
    const PlanValue &shared = get(step.operands[2]);
    check(!shared.isConstant || static_cast<int32_t>(shared.bits) >= 0,
          "'sharedBytes' is negative");
    const Kernel *kernel = artefact.findKernel(step.text);
    if (!check(kernel, "there is no such kernel '" + step.text + "'"))
      return;
    std::vector<PlanValue> types;
    for (unsigned number : llvm::seq(kernel->getNumParameters()))
      types.push_back({"", kernel->getElementType(number).str(),
                       kernel->isArray(number) ? anyRank : -1});
    step.lists = {useAll("arguments", types)};
  }

  const Artefact &artefact;
  Function &function;
  const json::Object *object;
  std::string problem, where;
  llvm::StringMap<ValueNumber> numbers;
  /// True for a value that has begun, by its number.
  std::vector<char> inUse;
};
} // namespace

//===----------------------------------------------------------------------===//
// Contracts
//===----------------------------------------------------------------------===//

llvm::Error mlir::obs::artefact::addFunction(Artefact &artefact,
                                             json::Object contract) {
  Function &function = artefact.functions.emplace_back();
  function.contract = std::move(contract);
  std::string problem = FunctionReader(artefact, function).read();
  return problem.empty()
             ? llvm::Error::success()
             : createStringError("the contract is not valid: " + problem);
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
    functions.push_back(json::Object(function.contract));
  return json::Object{{"version", version},
                      {"target", artefact.chip},
                      {"kernels", std::move(kernels)},
                      {"functions", std::move(functions)}};
}

/// True if the description of a kernel has what a launch needs.
static bool isComplete(const json::Object &contract) {
  const json::Array *parameters = contract.getArray("parameters");
  return contract.getString("entry") && parameters &&
         llvm::all_of(*parameters, [](const json::Value &value) {
           const json::Object *parameter = value.getAsObject();
           return parameter && parameter->getString("kind") &&
                  mlir::obs::artefact::getElementBits(
                      parameter->getString("elementType").value_or("")) > 0 &&
                  parameter->getInteger("alignment").value_or(1) >= 1;
         });
}

llvm::Expected<Artefact> mlir::obs::artefact::fromJSON(StringRef text) {
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return parsed.takeError();
  json::Object *object = parsed->getAsObject();
  auto *kernels = object ? object->getArray("kernels") : nullptr;
  auto *functions = object ? object->getArray("functions") : nullptr;
  if (!kernels || !functions || object->getInteger("version") != version)
    return createStringError("this is no launch contract of version " +
                             Twine(version));
  Artefact artefact;
  artefact.chip = object->getString("target").value_or("").str();
  for (json::Value &value : *kernels) {
    json::Object *contract = value.getAsObject();
    if (!contract || !isComplete(*contract))
      return createStringError("a kernel of the contract is not complete");
    artefact.kernels.push_back(
        {contract->getString("entry")->str(),
         contract->getString("module").value_or("kernels").str(), "",
         std::move(*contract)});
  }
  for (json::Value &value : *functions) {
    json::Object *function = value.getAsObject();
    if (!function)
      return createStringError("a function of the contract is no object");
    if (llvm::Error error = addFunction(artefact, std::move(*function)))
      return std::move(error);
  }
  return artefact;
}
