//===- CheckTypes.cpp - The types of a Dag program ------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AST.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::obs::dag;

//===----------------------------------------------------------------------===//
// Diagnostics, types and structs
//===----------------------------------------------------------------------===//

Location Diagnostics::getLocation(llvm::SMLoc loc) const {
  unsigned buffer = sources.getMainFileID();
  auto [line, column] = sources.getLineAndColumn(loc, buffer);
  return FileLineColLoc::get(
      context, sources.getMemoryBuffer(buffer)->getBufferIdentifier(), line,
      column);
}

void Diagnostics::error(llvm::SMLoc loc, const Twine &message) {
  error(getLocation(loc), message);
}

void Diagnostics::error(Location loc, const Twine &message) {
  if (!failed)
    emitError(loc) << message;
  failed = true;
}

bool DagType::hasArrays() const {
  return isArray() ||
         (decl && llvm::any_of(decl->fields, [](const Parameter &field) {
            return field.type->hasArrays();
          }));
}

unsigned DagType::getRank() const {
  return isArray() ? element->getRank() + 1 : 0;
}

const DagType *DagType::getScalar() const {
  return isArray() ? element->getScalar() : this;
}

std::string DagType::str() const {
  switch (kind) {
  case Int:
    return "int";
  case Float:
    return "float";
  case Bool:
    return "bool";
  case Struct:
    return decl->name.str();
  case Array:
    return element->str() + "[]";
  }
  llvm_unreachable("all types are above");
}

int StructDecl::find(StringRef field) const {
  for (auto [number, parameter] : llvm::enumerate(fields))
    if (parameter.name == field)
      return number;
  return -1;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {

/// Checks one program. A null type means that an error was reported.
class Checker {
public:
  Checker(Program &program, Diagnostics &diagnostics);
  void run();

private:
  using Scope = std::map<StringRef, const DagType *>;

  const DagType *error(llvm::SMLoc loc, const Twine &message) {
    diagnostics.error(loc, message);
    return nullptr;
  }
  const DagType *getArray(const DagType *element);
  const DagType *resolve(const TypeName &name);
  void checkParameters(std::vector<Parameter> &params, const char *what);
  void checkFunction(Function &function);
  bool declare(StringRef name, llvm::SMLoc loc, const DagType *type);
  const DagType *findVariable(StringRef name) const;
  const DagType *checkBlock(std::vector<Stmt> &stmts);
  const DagType *check(Expr &expr);
  const DagType *compute(Expr &expr);
  const DagType *checkBinary(llvm::SMLoc loc, Opcode op, const DagType *left,
                             const DagType *right);
  const DagType *checkFor(Expr &expr);
  const DagType *checkStruct(Expr &expr);
  const DagType *checkCall(Expr &expr);
  const DagType *checkPrimitive(Expr &expr);
  /// The result type of the function `expr`, which is an argument, for
  /// arguments of `types`.
  const DagType *apply(Expr &expr, ArrayRef<const DagType *> types);

  Program &program;
  Diagnostics &diagnostics;
  std::map<StringRef, const DagType *> namedTypes;
  std::map<StringRef, const Function *> functions;
  std::vector<Scope> scopes;
  const DagType *intType, *floatType, *boolType;
};
} // namespace

Checker::Checker(Program &program, Diagnostics &diagnostics)
    : program(program), diagnostics(diagnostics) {
  auto add = [&](StringRef name, DagType::Kind kind) {
    program.types.push_back(std::make_unique<DagType>(DagType{kind}));
    return namedTypes[name] = program.types.back().get();
  };
  intType = add("int", DagType::Int);
  floatType = add("float", DagType::Float);
  boolType = add("bool", DagType::Bool);
  getArray(intType);
}

const DagType *Checker::getArray(const DagType *element) {
  for (const auto &type : program.types)
    if (type->element == element)
      return type.get();
  program.types.push_back(
      std::make_unique<DagType>(DagType{DagType::Array, nullptr, element}));
  return program.types.back().get();
}

const DagType *Checker::resolve(const TypeName &name) {
  auto it = namedTypes.find(name.name);
  if (it == namedTypes.end())
    return error(name.loc, "there is no type '" + name.name + "' above");
  const DagType *type = it->second;
  for (unsigned i = 0; i < name.rank; ++i)
    type = getArray(type);
  return type;
}

bool Checker::declare(StringRef name, llvm::SMLoc loc, const DagType *type) {
  if (findVariable(name)) {
    error(loc,
          "'" + name + "' is already a variable here; choose another name");
    return false;
  }
  scopes.back()[name] = type;
  return true;
}

const DagType *Checker::findVariable(StringRef name) const {
  for (const Scope &scope : scopes)
    if (auto it = scope.find(name); it != scope.end())
      return it->second;
  return nullptr;
}

const DagType *Checker::check(Expr &expr) {
  return expr.type = diagnostics.hasFailed() ? nullptr : compute(expr);
}

const DagType *Checker::checkBinary(llvm::SMLoc loc, Opcode op,
                                    const DagType *left, const DagType *right) {
  if (!left || !right)
    return nullptr;
  auto fail = [&](const char *what) {
    return error(loc, "'" + getSpelling(op) + "' takes " + what + ", not " +
                          left->str() + " and " + right->str());
  };
  bool areEqual = left == right;
  switch (op) {
  case Opcode::AndAnd:
  case Opcode::OrOr:
    return areEqual && left == boolType ? boolType : fail("two bools");
  case Opcode::Shl:
  case Opcode::Shr:
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor:
    return areEqual && left == intType ? intType : fail("two ints");
  case Opcode::Lt:
  case Opcode::Le:
  case Opcode::Gt:
  case Opcode::Ge:
    return areEqual && left->isNumber() ? boolType
                                        : fail("two ints or two floats");
  default:
    return areEqual && left->isNumber() ? left : fail("two ints or two floats");
  }
}

const DagType *Checker::checkFor(Expr &expr) {
  const DagType *array = check(*expr.args[0]);
  const DagType *variable = array ? resolve(expr.typeName) : nullptr;
  if (!variable)
    return nullptr;
  if (!array->isArray())
    return error(expr.args[0]->loc,
                 "a 'for' runs over an array, not over " + array->str());
  if (array->element != variable)
    return error(expr.typeName.loc, "the elements of this array are " +
                                        array->element->str() + ", not " +
                                        variable->str());
  scopes.emplace_back();
  const DagType *result = nullptr;
  if (declare(expr.name, expr.loc, variable))
    result = checkBlock(expr.body);
  scopes.pop_back();
  return result ? getArray(result) : nullptr;
}

const DagType *Checker::checkStruct(Expr &expr) {
  auto it = namedTypes.find(expr.name);
  if (it == namedTypes.end() || it->second->kind != DagType::Struct)
    return error(expr.loc, "there is no struct '" + expr.name + "' above");
  const StructDecl &decl = *it->second->decl;
  std::vector<bool> given(decl.fields.size());
  for (auto [field, value] : llvm::zip(expr.fields, expr.args)) {
    const DagType *type = check(*value);
    int number = decl.find(field.first);
    if (!type)
      return nullptr;
    if (number < 0)
      return error(field.second, "struct '" + decl.name + "' has no field '" +
                                     field.first + "'");
    if (given[number])
      return error(field.second, "field '" + field.first + "' has two values");
    if (decl.fields[number].type != type)
      return error(value->loc, "field '" + field.first + "' is " +
                                   decl.fields[number].type->str() + ", not " +
                                   type->str());
    given[number] = true;
  }
  for (auto [field, isGiven] : llvm::zip(decl.fields, given))
    if (!isGiven)
      return error(expr.loc, "field '" + field.name + "' of struct '" +
                                 decl.name + "' has no value");
  return it->second;
}

const DagType *Checker::compute(Expr &expr) {
  switch (expr.kind) {
  case Expr::Int:
    return intType;
  case Expr::Float:
    return floatType;
  case Expr::Bool:
    return boolType;
  case Expr::Name:
    if (const DagType *type = findVariable(expr.name))
      return type;
    if (functions.count(expr.name))
      return error(expr.loc, "'" + expr.name + "' is a function, not a value");
    return error(expr.loc, "there is no variable '" + expr.name + "' here");
  case Expr::Operator:
    return error(expr.loc, "an operator is no value; only primitives take one "
                           "as their first argument");
  case Expr::Call:
    return checkCall(expr);
  case Expr::Struct:
    return checkStruct(expr);
  case Expr::For:
    return checkFor(expr);
  case Expr::Index: {
    const DagType *array = check(*expr.args[0]), *index = check(*expr.args[1]);
    if (!array || !index)
      return nullptr;
    if (!array->isArray())
      return error(expr.loc,
                   "only arrays have elements; this is " + array->str());
    if (index != intType)
      return error(expr.args[1]->loc,
                   "an index is an int, not " + index->str());
    return array->element;
  }
  case Expr::Field: {
    const DagType *type = check(*expr.args[0]);
    if (!type)
      return nullptr;
    if (type->kind != DagType::Struct)
      return error(expr.loc,
                   "only structs have fields; this is " + type->str());
    expr.field = type->decl->find(expr.name);
    if (expr.field < 0)
      return error(expr.loc, "struct '" + type->decl->name +
                                 "' has no field '" + expr.name + "'");
    return type->decl->fields[expr.field].type;
  }
  case Expr::Unary: {
    const DagType *type = check(*expr.args[0]);
    if (!type)
      return nullptr;
    if (expr.op == Opcode::Not ? type != intType : !type->isNumber())
      return error(
          expr.loc,
          "'" + getSpelling(expr.op) + "' takes " +
              (expr.op == Opcode::Not ? "an int" : "an int or a float") +
              ", not " + type->str());
    return type;
  }
  case Expr::Binary: {
    const DagType *left = check(*expr.args[0]), *right = check(*expr.args[1]);
    return checkBinary(expr.loc, expr.op, left, right);
  }
  }
  llvm_unreachable("all expressions are above");
}

static std::optional<Primitive> findPrimitive(StringRef name) {
  unsigned dimension;
  if (name.starts_with("dim") &&
      !name.drop_front(3).getAsInteger(10, dimension))
    return Primitive::Dim;
  return llvm::StringSwitch<std::optional<Primitive>>(name)
      .Case("zip_with", Primitive::ZipWith)
      .Case("map", Primitive::Map)
      .Case("filter_with", Primitive::FilterWith)
      .Case("reduce", Primitive::Reduce)
      .Case("scan", Primitive::Scan)
      .Case("range", Primitive::Range)
      .Case("transpose", Primitive::Transpose)
      .Case("min", Primitive::Min)
      .Case("max", Primitive::Max)
      .Case("log2", Primitive::Log2)
      .Case("float_of_int", Primitive::FloatOfInt)
      .Case("int_of_float", Primitive::IntOfFloat)
      .Default(std::nullopt);
}

const DagType *Checker::apply(Expr &expr, ArrayRef<const DagType *> types) {
  if (expr.kind == Expr::Operator) {
    if (types.size() != 2)
      return error(expr.loc, "'" + getSpelling(expr.op) +
                                 "' takes 2 values, and " +
                                 Twine(types.size()) + " are given");
    return checkBinary(expr.loc, expr.op, types[0], types[1]);
  }
  auto it = functions.find(expr.name);
  if (expr.kind != Expr::Name || findVariable(expr.name) ||
      it == functions.end())
    return error(expr.loc, "expected an operator or the name of a function "
                           "that stands above");
  expr.function = it->second;
  const std::vector<Parameter> &params = expr.function->params;
  if (params.size() != types.size())
    return error(expr.loc, "'" + expr.name + "' has " + Twine(params.size()) +
                               " parameters, and is called with " +
                               Twine(types.size()) + " values");
  for (auto [param, type] : llvm::zip(params, types))
    if (param.type != type)
      return error(expr.loc, "parameter '" + param.name + "' of '" + expr.name +
                                 "' is " + param.type->str() + ", not " +
                                 type->str());
  return expr.function->result;
}

const DagType *Checker::checkPrimitive(Expr &expr) {
  Primitive primitive = *expr.primitive;
  bool takesFunction =
      primitive == Primitive::ZipWith || primitive == Primitive::Map ||
      primitive == Primitive::Reduce || primitive == Primitive::Scan;
  auto requireCount = [&](size_t count) {
    if (expr.args.size() != count)
      error(expr.loc, "'" + expr.name + "' takes " + Twine(count) +
                          (count == 1 ? " argument" : " arguments") + ", not " +
                          Twine(expr.args.size()));
    return expr.args.size() == count;
  };
  if (primitive == Primitive::ZipWith) {
    if (expr.args.size() < 2)
      return error(expr.loc, "'zip_with' takes a function and its arrays");
  } else {
    size_t count =
        primitive == Primitive::Reduce || primitive == Primitive::Scan ? 3
        : primitive == Primitive::Map || primitive == Primitive::FilterWith ||
                primitive == Primitive::Min || primitive == Primitive::Max
            ? 2
            : 1;
    if (!requireCount(count))
      return nullptr;
  }
  std::vector<const DagType *> types;
  for (size_t i = takesFunction; i < expr.args.size(); ++i) {
    types.push_back(check(*expr.args[i]));
    if (!types.back())
      return nullptr;
  }
  auto requireArray = [&](size_t number) -> const DagType * {
    if (types[number]->isArray())
      return types[number];
    return error(expr.args[number + takesFunction]->loc,
                 "'" + expr.name + "' takes an array here, not " +
                     types[number]->str());
  };
  auto requireType = [&](const DagType *type, const DagType *result) {
    if (types[0] == type)
      return result;
    return error(expr.args[0]->loc, "'" + expr.name + "' takes " + type->str() +
                                        ", not " + types[0]->str());
  };

  switch (primitive) {
  case Primitive::ZipWith:
  case Primitive::Map: {
    for (size_t i = 0; i < types.size(); ++i) {
      if (!requireArray(i))
        return nullptr;
      types[i] = types[i]->element;
    }
    const DagType *result = apply(*expr.args[0], types);
    return result ? getArray(result) : nullptr;
  }
  case Primitive::FilterWith:
    if (!requireArray(0) || !requireArray(1))
      return nullptr;
    if (types[1]->element != boolType)
      return error(expr.args[1]->loc,
                   "'filter_with' takes bool[] here, not " + types[1]->str());
    return types[0];
  case Primitive::Reduce:
  case Primitive::Scan: {
    if (!requireArray(1))
      return nullptr;
    const DagType *element = types[1]->element;
    if (types[0] != element)
      return error(expr.args[1]->loc, "the first value is " + types[0]->str() +
                                          ", and the elements are " +
                                          element->str());
    if (element->hasArrays())
      return error(expr.args[2]->loc, "'" + expr.name +
                                          "' combines numbers, bools and "
                                          "structs of these, not " +
                                          element->str());
    const DagType *result = apply(*expr.args[0], {element, element});
    if (result && result != element)
      return error(expr.args[0]->loc,
                   "this function combines two " + element->str() + " to " +
                       result->str() + ", not to " + element->str());
    if (!result)
      return nullptr;
    return primitive == Primitive::Reduce ? element : types[1];
  }
  case Primitive::Range:
    return requireType(intType, getArray(intType));
  case Primitive::Transpose:
    if (types[0]->getRank() < 2)
      return error(expr.args[0]->loc, "'transpose' takes an array of arrays, "
                                      "not " +
                                          types[0]->str());
    return types[0];
  case Primitive::Dim: {
    unsigned number = 0;
    if (expr.name.drop_front(3).getAsInteger(10, number) ||
        types[0]->getRank() <= number)
      return error(expr.args[0]->loc,
                   "'" + expr.name + "' takes an array of " + "more than " +
                       expr.name.drop_front(3) + " dimensions, not " +
                       types[0]->str());
    expr.field = number;
    return intType;
  }
  case Primitive::Min:
  case Primitive::Max:
    if (types[0] != types[1] || !types[0]->isNumber())
      return error(expr.loc, "'" + expr.name +
                                 "' takes two ints or two floats, not " +
                                 types[0]->str() + " and " + types[1]->str());
    return types[0];
  case Primitive::Log2:
    return requireType(intType, intType);
  case Primitive::FloatOfInt:
    return requireType(intType, floatType);
  case Primitive::IntOfFloat:
    return requireType(floatType, intType);
  }
  llvm_unreachable("all primitives are above");
}

const DagType *Checker::checkCall(Expr &expr) {
  expr.primitive = findPrimitive(expr.name);
  if (expr.primitive)
    return checkPrimitive(expr);
  auto it = functions.find(expr.name);
  if (it == functions.end())
    return error(expr.loc, "there is no function '" + expr.name +
                               "' above; functions are not recursive");
  expr.function = it->second;
  const std::vector<Parameter> &params = expr.function->params;
  if (params.size() != expr.args.size())
    return error(expr.loc,
                 "'" + expr.name + "' takes " + Twine(params.size()) +
                     (params.size() == 1 ? " argument" : " arguments") +
                     ", not " + Twine(expr.args.size()));
  for (auto [param, arg] : llvm::zip(params, expr.args)) {
    const DagType *type = check(*arg);
    if (!type)
      return nullptr;
    if (type != param.type)
      return error(arg->loc, "parameter '" + param.name + "' of '" + expr.name +
                                 "' is " + param.type->str() + ", not " +
                                 type->str());
  }
  return expr.function->result;
}

const DagType *Checker::checkBlock(std::vector<Stmt> &stmts) {
  scopes.emplace_back();
  const DagType *result = nullptr;
  for (Stmt &stmt : stmts) {
    const DagType *value = check(*stmt.value);
    if (!value)
      break;
    if (stmt.isReturn) {
      result = value;
      break;
    }
    const DagType *type = resolve(stmt.typeName);
    if (!type)
      break;
    if (type != value) {
      error(stmt.loc, "'" + stmt.name + "' is declared as " + type->str() +
                          ", and its value is " + value->str());
      break;
    }
    if (!declare(stmt.name, stmt.loc, type))
      break;
  }
  scopes.pop_back();
  return result;
}

void Checker::checkParameters(std::vector<Parameter> &params,
                              const char *what) {
  std::map<StringRef, bool> names;
  for (Parameter &param : params) {
    param.type = resolve(param.typeName);
    if (!param.type)
      return;
    if (!names.try_emplace(param.name).second)
      error(param.loc, Twine(what) + " '" + param.name + "' stands here twice");
  }
}

void Checker::checkFunction(Function &function) {
  if (functions.count(function.name))
    error(function.loc,
          "there is already a function '" + function.name + "' above");
  function.result = resolve(function.resultName);
  checkParameters(function.params, "parameter");
  if (diagnostics.hasFailed())
    return;
  scopes.assign(1, Scope());
  for (const Parameter &param : function.params)
    scopes.back()[param.name] = param.type;
  const DagType *result = checkBlock(function.body);
  if (result && result != function.result)
    error(function.body.back().loc, "'" + function.name + "' returns " +
                                        function.result->str() + ", not " +
                                        result->str());
  functions[function.name] = &function;
}

void Checker::run() {
  for (auto [decl, function] : program.order) {
    if (diagnostics.hasFailed())
      return;
    if (function) {
      checkFunction(*function);
      continue;
    }
    if (namedTypes.count(decl->name))
      error(decl->loc, "there is already a type '" + decl->name + "' above");
    if (decl->fields.empty())
      error(decl->loc, "a struct has at least one field");
    checkParameters(decl->fields, "field");
    program.types.push_back(
        std::make_unique<DagType>(DagType{DagType::Struct, decl}));
    namedTypes[decl->name] = program.types.back().get();
  }
}

void mlir::obs::dag::checkTypes(Program &program, Diagnostics &diagnostics) {
  Checker(program, diagnostics).run();
}
