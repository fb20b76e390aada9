//===- CheckTypes.cpp - The types of a Dag program ------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTypes.h"
#include "llvm/ADT/STLExtras.h"

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
// Names
//===----------------------------------------------------------------------===//

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

const DagType *Checker::findType(StringRef name, llvm::SMLoc loc) {
  auto it = namedTypes.find(name);
  return it != namedTypes.end()
             ? it->second
             : error(loc, "there is no type '{0}' above", name);
}

const DagType *Checker::findVariable(StringRef name) const {
  for (const auto &scope : scopes)
    if (auto it = scope.find(name); it != scope.end())
      return it->second;
  return nullptr;
}

void Checker::declare(const Parameter &variable) {
  if (findVariable(variable.name))
    error(variable.loc, "'{0}' is already a variable here; choose another name",
          variable.name);
  scopes.back()[variable.name] = variable.type;
}

void Checker::declare(const Function &function) {
  if (!functions.try_emplace(function.name, &function).second)
    error(function.loc, "there is already a function '{0}' above",
          function.name);
}

void Checker::declare(const StructDecl &decl) {
  if (decl.fields.empty())
    error(decl.loc, "a struct has at least one field");
  program.types.push_back(
      std::make_unique<DagType>(DagType{DagType::Struct, &decl}));
  if (!namedTypes.try_emplace(decl.name, program.types.back().get()).second)
    error(decl.loc, "there is already a type '{0}' above", decl.name);
}

void Checker::checkVariable(const Expr &array, const Parameter &variable,
                            llvm::SMLoc typeLoc) {
  if (!array.type || !variable.type)
    return;
  if (!array.type->isArray())
    error(array.loc, "a 'for' runs over an array, not over {0}",
          array.type->str());
  else if (array.type->element != variable.type)
    error(typeLoc, "the elements of this array are {0}, not {1}",
          array.type->element->str(), variable.type->str());
  declare(variable);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void Checker::check(Expr &expr) {
  expr.type = diagnostics.hasFailed() ? nullptr : compute(expr);
}

const DagType *Checker::checkBinary(llvm::SMLoc loc, Opcode op,
                                    const DagType *left, const DagType *right) {
  bool areEqual = left == right, isLogic = false, isBits = false;
  switch (op) {
  case Opcode::AndAnd:
  case Opcode::OrOr:
    isLogic = true;
    break;
  case Opcode::Shl:
  case Opcode::Shr:
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor:
    isBits = true;
    break;
  default:
    break;
  }
  bool isTest = op >= Opcode::Lt && op <= Opcode::Ge;
  if (areEqual && (isLogic  ? left == boolType
                   : isBits ? left == intType
                            : left->isNumber()))
    return isTest ? boolType : left;
  return error(loc, "'{0}' takes {1}, not {2} and {3}", getSpelling(op),
               isLogic  ? "two bools"
               : isBits ? "two ints"
                        : "two ints or two floats",
               left->str(), right->str());
}

const DagType *Checker::checkStruct(Expr &expr) {
  auto it = namedTypes.find(expr.name);
  if (it == namedTypes.end() || it->second->kind != DagType::Struct)
    return error(expr.loc, "there is no struct '{0}' above", expr.name);
  const StructDecl &decl = *it->second->decl;
  std::vector<bool> given(decl.fields.size());
  for (auto [field, value] : llvm::zip(expr.fields, expr.args)) {
    int number = decl.find(field.first);
    if (number < 0)
      return error(field.second, "struct '{0}' has no field '{1}'", decl.name,
                   field.first);
    if (given[number])
      return error(field.second, "field '{0}' has two values", field.first);
    const DagType *type = decl.fields[number].type;
    if (type != value->type)
      return error(value->loc, "field '{0}' is {1}, not {2}", field.first,
                   type->str(), value->type->str());
    given[number] = true;
  }
  for (auto [field, isGiven] : llvm::zip(decl.fields, given))
    if (!isGiven)
      return error(expr.loc, "field '{0}' of struct '{1}' has no value",
                   field.name, decl.name);
  return it->second;
}

const DagType *Checker::compute(Expr &expr) {
  auto typeOf = [&](unsigned k) { return expr.args[k]->type; };
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
    return error(expr.loc,
                 functions.count(expr.name) ? "'{0}' is a function, not a value"
                                            : "there is no variable '{0}' here",
                 expr.name);
  case Expr::Operator:
    return error(expr.loc, "an operator is no value; only primitives take one "
                           "as their first argument");
  case Expr::Call:
    return checkCall(expr);
  case Expr::Struct:
    return checkStruct(expr);
  case Expr::For:
    return getArray(expr.body.back().value->type);
  case Expr::Index:
    if (!typeOf(0)->isArray())
      return error(expr.loc, "only arrays have elements; this is {0}",
                   typeOf(0)->str());
    if (typeOf(1) != intType)
      return error(expr.args[1]->loc, "an index is an int, not {0}",
                   typeOf(1)->str());
    return typeOf(0)->element;
  case Expr::Field: {
    if (typeOf(0)->kind != DagType::Struct)
      return error(expr.loc, "only structs have fields; this is {0}",
                   typeOf(0)->str());
    const StructDecl &decl = *typeOf(0)->decl;
    expr.field = decl.find(expr.name);
    return expr.field < 0 ? error(expr.loc, "struct '{0}' has no field '{1}'",
                                  decl.name, expr.name)
                          : decl.fields[expr.field].type;
  }
  case Expr::Unary: {
    bool isNot = expr.op == Opcode::Not;
    if (isNot ? typeOf(0) == intType : typeOf(0)->isNumber())
      return typeOf(0);
    return error(expr.loc, "'{0}' takes {1}, not {2}", getSpelling(expr.op),
                 isNot ? "an int" : "an int or a float", typeOf(0)->str());
  }
  case Expr::Binary:
    return checkBinary(expr.loc, expr.op, typeOf(0), typeOf(1));
  }
  llvm_unreachable("all expressions are above");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
struct Signature {
  StringRef name;
  Primitive primitive;
  unsigned count; ///< The number of arguments; of `zip_with` the least number.
  bool takesFunction = false;
};
} // namespace

/// The primitive of a name; null if there is none.
static const Signature *findPrimitive(StringRef name) {
  static const Signature signatures[] = {
      {"zip_with", Primitive::ZipWith, 2, true},
      {"map", Primitive::Map, 2, true},
      {"filter_with", Primitive::FilterWith, 2},
      {"reduce", Primitive::Reduce, 3, true},
      {"scan", Primitive::Scan, 3, true},
      {"range", Primitive::Range, 1},
      {"transpose", Primitive::Transpose, 1},
      {"min", Primitive::Min, 2},
      {"max", Primitive::Max, 2},
      {"log2", Primitive::Log2, 1},
      {"float_of_int", Primitive::FloatOfInt, 1},
      {"int_of_float", Primitive::IntOfFloat, 1},
      {"dim", Primitive::Dim, 1}};
  unsigned dimension;
  if (name.starts_with("dim") &&
      !name.drop_front(3).getAsInteger(10, dimension))
    return std::end(signatures) - 1;
  for (const Signature &signature : ArrayRef(signatures).drop_back())
    if (signature.name == name)
      return &signature;
  return nullptr;
}

bool Checker::takesFunction(StringRef name) {
  const Signature *signature = findPrimitive(name);
  return signature && signature->takesFunction;
}

const DagType *Checker::checkArguments(const Function &function,
                                       ArrayRef<const DagType *> types,
                                       ArrayRef<llvm::SMLoc> locs) {
  for (auto [param, type, loc] : llvm::zip(function.params, types, locs))
    if (param.type != type)
      return error(loc, "parameter '{0}' of '{1}' is {2}, not {3}", param.name,
                   function.name, param.type->str(), type->str());
  return function.result;
}

const DagType *Checker::apply(Expr &expr, ArrayRef<const DagType *> types) {
  if (expr.kind == Expr::Operator) {
    if (types.size() != 2)
      return error(expr.loc, "'{0}' takes 2 values, and {1} are given",
                   getSpelling(expr.op), types.size());
    return checkBinary(expr.loc, expr.op, types[0], types[1]);
  }
  auto it = functions.find(expr.name);
  if (expr.kind != Expr::Name || findVariable(expr.name) ||
      it == functions.end())
    return error(expr.loc, "expected an operator or the name of a function "
                           "that stands above");
  expr.function = it->second;
  size_t count = expr.function->params.size();
  if (count != types.size())
    return error(expr.loc,
                 "'{0}' has {1} parameters, and is called with {2} values",
                 expr.name, count, types.size());
  return checkArguments(*expr.function, types,
                        SmallVector<llvm::SMLoc>(count, expr.loc));
}

const DagType *Checker::checkPrimitive(Expr &expr) {
  const Signature &signature = *findPrimitive(expr.name);
  SmallVector<const DagType *> types;
  for (const auto &arg :
       ArrayRef(expr.args).drop_front(signature.takesFunction))
    types.push_back(arg->type);
  auto locOf = [&](size_t number) {
    return expr.args[number + signature.takesFunction]->loc;
  };
  auto requireArray = [&](size_t number) {
    return types[number]->isArray() ||
           error(locOf(number), "'{0}' takes an array here, not {1}", expr.name,
                 types[number]->str());
  };
  auto requireType = [&](const DagType *type, const DagType *result) {
    return types[0] == type ? result
                            : error(locOf(0), "'{0}' takes {1}, not {2}",
                                    expr.name, type->str(), types[0]->str());
  };

  switch (signature.primitive) {
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
      return error(locOf(1), "'filter_with' takes bool[] here, not {0}",
                   types[1]->str());
    return types[0];
  case Primitive::Reduce:
  case Primitive::Scan: {
    if (!requireArray(1))
      return nullptr;
    const DagType *element = types[1]->element;
    if (types[0] != element)
      return error(locOf(0), "the first value is {0}, and the elements are {1}",
                   types[0]->str(), element->str());
    if (element->hasArrays())
      return error(locOf(1),
                   "'{0}' combines numbers, bools and structs of these, not "
                   "{1}",
                   expr.name, element->str());
    const DagType *result = apply(*expr.args[0], {element, element});
    if (result && result != element)
      return error(expr.args[0]->loc,
                   "this function combines two {0} to {1}, not to {0}",
                   element->str(), result->str());
    return !result                                    ? nullptr
           : signature.primitive == Primitive::Reduce ? element
                                                      : types[1];
  }
  case Primitive::Range:
    return requireType(intType, getArray(intType));
  case Primitive::Transpose:
    if (types[0]->getRank() < 2)
      return error(locOf(0), "'transpose' takes an array of arrays, not {0}",
                   types[0]->str());
    return types[0];
  case Primitive::Dim:
    (void)expr.name.drop_front(3).getAsInteger(10, expr.field);
    if (expr.field < 0 || types[0]->getRank() <= unsigned(expr.field))
      return error(locOf(0),
                   "'{0}' takes an array of more than {1} dimensions, not {2}",
                   expr.name, expr.name.drop_front(3), types[0]->str());
    return intType;
  case Primitive::Min:
  case Primitive::Max:
    if (types[0] != types[1] || !types[0]->isNumber())
      return error(expr.loc,
                   "'{0}' takes two ints or two floats, not {1} and {2}",
                   expr.name, types[0]->str(), types[1]->str());
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
  const Signature *signature = findPrimitive(expr.name);
  auto it = functions.find(expr.name);
  if (!signature && it == functions.end())
    return error(expr.loc,
                 "there is no function '{0}' above; functions are not "
                 "recursive",
                 expr.name);
  size_t given = expr.args.size();
  if (signature && signature->primitive == Primitive::ZipWith) {
    if (given < signature->count)
      return error(expr.loc, "'zip_with' takes a function and its arrays");
  } else if (size_t count =
                 signature ? signature->count : it->second->params.size();
             given != count) {
    return error(expr.loc, "'{0}' takes {1} {2}, not {3}", expr.name, count,
                 count == 1 ? "argument" : "arguments", given);
  }
  if (signature) {
    expr.primitive = signature->primitive;
    return checkPrimitive(expr);
  }
  expr.function = it->second;
  SmallVector<const DagType *> types;
  SmallVector<llvm::SMLoc> locs;
  for (const auto &arg : expr.args) {
    types.push_back(arg->type);
    locs.push_back(arg->loc);
  }
  return checkArguments(*expr.function, types, locs);
}
