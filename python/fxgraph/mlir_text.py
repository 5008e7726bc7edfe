# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads MLIR text in generic form: enough of the grammar for graphs of this dialect.

Both spellings of a function are read (`func.func @main(...)` as the importer
prints it, and `"func.func"() <{…}> ({ … })`). Locations are skipped. Linear in
the length of the text.
"""

import re
import struct

from .errors import FxGraphError

_TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<number>-?0x[0-9A-Fa-f]+(?![0-9A-Za-z_])|-?\d+\.\d*(?:[eE][-+]?\d+)?|-?\d+(?![0-9A-Za-z_.]))
  | (?P<value>%[A-Za-z0-9_$.\-]+(?:\#\d+)?)
  | (?P<symbol>[@^\#!][A-Za-z0-9_$.\-]+)
  | (?P<word>[A-Za-z_][A-Za-z0-9_$.]*)
  | (?P<shape>(?:\?|\d+)x)
  | (?P<punct>->|::|[(){}\[\]<>,:=*?+\-/|])
""", re.VERBOSE)


class Type:
    """A tensor type: dtype, shape (None for a dynamic extent), encoding text."""

    __slots__ = ("dtype", "shape", "encoding")

    def __init__(self, dtype, shape, encoding=None):
        self.dtype, self.shape, self.encoding = dtype, shape, encoding

    def __repr__(self):
        return f"tensor<{'x'.join('?' if s is None else str(s) for s in self.shape)}x{self.dtype}>"


class Dense:
    """A dense literal: its type and either Python values or raw bytes."""

    __slots__ = ("type", "values", "raw")

    def __init__(self, type_, values=None, raw=None):
        self.type, self.values, self.raw = type_, values, raw


class TypeAttr:
    __slots__ = ("text", "type")

    def __init__(self, type_):
        self.type = type_


class Op:
    __slots__ = ("name", "operands", "results", "attrs", "types", "line")

    def __init__(self, name, operands, results, attrs, types, line):
        self.name, self.operands, self.results, self.attrs, self.types, self.line = name, operands, results, attrs, types, line


class Function:
    """name, arguments [(value name, type, {attr: value})], ops; the last op is the return."""

    __slots__ = ("name", "arguments", "ops", "attrs")

    def __init__(self, name, arguments, ops, attrs):
        self.name, self.arguments, self.ops, self.attrs = name, arguments, ops, attrs


class Parser:
    def __init__(self, text):
        self.text, self.tokens, position = text, [], 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if not match:
                line = text.count("\n", 0, position) + 1
                raise FxGraphError(f"line {line}: cannot read {text[position:position + 20]!r}")
            if match.lastgroup != "space":
                self.tokens.append((match.lastgroup, match[0], position))
            position = match.end()
        self.tokens.append(("end", "", len(text)))
        self.at = 0
        self.aliases = {}

    def peek(self, offset=0):
        return self.tokens[min(self.at + offset, len(self.tokens) - 1)][1]

    def kind(self):
        return self.tokens[self.at][0]

    def next(self):
        token = self.tokens[self.at][1]
        self.at += 1
        return token

    def accept(self, token):
        if self.peek() == token and self.kind() != "string":
            self.at += 1
            return True
        return False

    def error(self, message):
        line = self.text.count("\n", 0, self.tokens[self.at][2]) + 1
        raise FxGraphError(f"line {line}: {message}, but got {self.peek()!r}")

    def expect(self, token):
        if not self.accept(token):
            self.error(f"expected {token!r}")

    def skip_balanced(self):
        """Skips one bracketed group."""
        depth = 0
        while True:
            token, kind = self.peek(), self.kind()
            self.at += 1
            if kind == "end":
                raise FxGraphError("unbalanced brackets")
            if kind == "punct" and token in "([{<":
                depth += 1
            elif kind == "punct" and token in ")]}>":
                depth -= 1
                if depth == 0:
                    return

    def location(self):
        if self.peek() == "loc" and self.kind() == "word":
            self.at += 1
            self.skip_balanced()

    # -- types and attributes ---------------------------------------------

    def type(self):
        if self.accept("tensor"):
            return self.tensor()
        if self.accept("("):
            ins = self.type_list(")")
            self.expect("->")
            return ("function", ins, self.types())
        if self.kind() == "symbol" and self.peek() in self.aliases:
            return self.aliases[self.next()]
        word = self.next()
        if word == "complex":
            self.expect("<")
            word = f"complex<{self.next()}>"
            self.expect(">")
        return word

    def tensor(self):
        """After `tensor`: the lexer may split 2x3xf32 in several ways, so read raw text."""
        start = self.tokens[self.at][2]
        self.expect("<")
        end, depth = start + 1, 1
        quoted = False
        while depth:
            char = self.text[end]
            if char == '"':
                quoted = not quoted
            elif not quoted and char == "<":
                depth += 1
            elif not quoted and char == ">" and self.text[end - 1] != "-":
                depth -= 1
            end += 1
        body = self.text[start + 1:end - 1]
        while self.tokens[self.at][2] < end:
            self.at += 1
        head, _, encoding = body.partition(",")
        shape = []
        match = re.match(r"(?:(?:\?|\d+)x)*", head)
        for extent in match[0].split("x")[:-1]:
            shape.append(None if extent == "?" else int(extent))
        return Type(head[match.end():].strip(), tuple(shape), encoding.strip() or None)

    def type_list(self, end):
        types = []
        if not self.accept(end):
            types.append(self.type())
            while self.accept(","):
                types.append(self.type())
            self.expect(end)
        return types

    def types(self):
        return self.type_list(")") if self.accept("(") else [self.type()]

    def attribute(self):
        kind, token = self.kind(), self.peek()
        if kind == "string":
            self.at += 1
            return unescape(token)
        if kind == "number" or token == "-":
            return self.number()
        if token == "[":
            self.at += 1
            items = []
            if not self.accept("]"):
                items.append(self.attribute())
                while self.accept(","):
                    items.append(self.attribute())
                self.expect("]")
            return items
        if token == "{":
            return self.dictionary()
        if kind == "symbol":
            self.at += 1
            if self.peek() == "<":
                self.skip_balanced()
            return self.aliases.get(token, token)
        if token in ("true", "false"):
            self.at += 1
            return token == "true"
        if token == "unit":
            self.at += 1
            return None
        if token == "array":
            self.at += 1
            self.expect("<")
            self.next()
            items = []
            if self.accept(":"):
                items.append(self.scalar())
                while self.accept(","):
                    items.append(self.scalar())
            self.expect(">")
            return items
        if token == "dense":
            return self.dense()
        if token == "loc":
            self.location()
            return None
        return TypeAttr(self.type())

    def scalar(self):
        token = self.next()
        if token in ("true", "false"):
            return token == "true"
        if token == "-":
            token += self.next()
        return float(token) if "." in token or "e" in token and "x" not in token else int(token, 0)

    def number(self):
        token = self.next()
        if token == "-":
            token += self.next()
        type_ = self.type() if self.accept(":") else ("f64" if "." in token else "i64")
        if type_ in ("i1", "i8", "i16", "i32", "i64", "index") or isinstance(type_, str) and type_[:2] in ("ui", "si"):
            return int(token, 0)
        if token.startswith(("0x", "-0x")):
            return from_bits(int(token, 16), type_)
        return float(token)

    def dense(self):
        self.expect("dense")
        self.expect("<")
        values, raw = None, None
        if self.kind() == "string":
            text = unescape(self.next())
            raw = bytes.fromhex(text[2:])
        elif self.peek() != ">":
            values = self.dense_items()
        else:
            values = []
        self.expect(">")
        self.expect(":")
        return Dense(self.type(), values, raw)

    def dense_items(self):
        if self.accept("["):
            items = []
            if not self.accept("]"):
                items.append(self.dense_items())
                while self.accept(","):
                    items.append(self.dense_items())
                self.expect("]")
            return items
        token = self.next()
        if token in ("true", "false"):
            return token == "true"
        if token == "-":
            token += self.next()
        if token.startswith(("0x", "-0x")):
            return ("bits", int(token, 16))
        return float(token) if "." in token else int(token)

    def dictionary(self):
        """{a = 1, b} or <{…}>."""
        self.expect("{")
        entries = {}
        if self.accept("}"):
            return entries
        while True:
            key = self.next()
            key = unescape(key) if key.startswith('"') else key
            entries[key] = self.attribute() if self.accept("=") else None
            if not self.accept(","):
                break
        self.expect("}")
        return entries

    # -- ops --------------------------------------------------------------

    def module(self):
        """All functions of the text."""
        self.alias_definitions()
        functions = []
        if self.peek() == '"builtin.module"':
            self.at += 1
            self.skip_balanced()
            if self.peek() == "<":
                self.skip_balanced()
            self.expect("(")
            self.expect("{")
            while self.peek() != "}":
                functions.append(self.function())
            self.expect("}")
            self.expect(")")
        else:
            self.expect("module")
            if self.kind() == "symbol":
                self.at += 1
            if self.accept("attributes"):
                self.dictionary()
            self.expect("{")
            while self.peek() != "}":
                functions.append(self.function())
        return functions

    def alias_definitions(self):
        while self.kind() == "symbol":
            name = self.next()
            self.expect("=")
            if self.peek() == "loc":
                self.location()
            elif name.startswith("!"):
                self.aliases[name] = self.type()
            else:
                self.aliases[name] = self.attribute()

    def function(self):
        if self.peek() == '"func.func"':
            self.at += 1
            self.skip_balanced()
            attrs = self.properties()
            self.expect("(")
            self.expect("{")
            arguments = []
            if self.kind() == "symbol" and self.peek().startswith("^"):
                self.at += 1
                if self.accept("("):
                    while not self.accept(")"):
                        name = self.next()
                        self.expect(":")
                        arguments.append([name, self.type(), {}])
                        self.location()
                        self.accept(",")
                self.expect(":")
            for argument, extra in zip(arguments, attrs.get("arg_attrs") or []):
                argument[2] = extra
            ops = self.body()
            self.expect(")")
            if self.peek() == "{":
                attrs.update(self.dictionary())
            self.expect(":")
            self.type()
            self.location()
            name = attrs.get("sym_name", "main")
            return Function(name, [tuple(a) for a in arguments], ops, attrs)
        self.expect("func.func")
        self.accept("private")
        name = self.next().lstrip("@")
        self.expect("(")
        arguments = []
        while not self.accept(")"):
            value = self.next()
            self.expect(":")
            type_ = self.type()
            extra = self.dictionary() if self.peek() == "{" else {}
            self.location()
            arguments.append((value, type_, extra))
            self.accept(",")
        if self.accept("->"):
            self.types()
        attrs = self.dictionary() if self.accept("attributes") else {}
        self.expect("{")
        ops = self.body()
        self.location()
        return Function(name, arguments, ops, attrs)

    def properties(self):
        if self.peek() == "<" and self.peek(1) == "{":
            self.at += 1
            entries = self.dictionary()
            self.expect(">")
            return entries
        return {}

    def body(self):
        ops = []
        while not self.accept("}"):
            ops.append(self.op())
        return ops

    def op(self):
        line = self.text.count("\n", 0, self.tokens[self.at][2]) + 1 if len(self.text) < 100_000 else 0
        results = []
        while self.kind() == "value":
            name, count = self.next(), 1
            if self.accept(":"):
                count = int(self.next())
                results += [f"{name}#{i}" for i in range(count)]
            else:
                results.append(name)
            self.accept(",")
        if results:
            self.expect("=")
        if self.kind() != "string":
            self.error("expected an op in generic form")
        name = unescape(self.next())
        self.expect("(")
        operands = []
        while not self.accept(")"):
            operands.append(self.next())
            self.accept(",")
        attrs = self.properties()
        if self.peek() == "(":
            self.error(f"expected an op without regions ({name})")
        if self.peek() == "{":
            attrs.update(self.dictionary())
        self.expect(":")
        kind = self.type()
        self.location()
        if len(results) == 1 and len(kind[2]) == 1:
            pass
        elif len(results) != len(kind[2]):
            self.error(f"expected {len(kind[2])} results of {name}")
        # %x:1 and %x are the same value.
        return Op(name, operands, [r[:-2] if len(kind[2]) == 1 and r.endswith("#0") else r for r in results], attrs, kind[2], line)


def unescape(token):
    body = token[1:-1]
    if "\\" not in body:
        return body
    out, i = bytearray(), 0
    while i < len(body):
        if body[i] == "\\":
            pair = body[i + 1:i + 3]
            if re.fullmatch(r"[0-9A-Fa-f]{2}", pair):
                out.append(int(pair, 16))
                i += 3
            else:
                out += {"n": b"\n", "t": b"\t"}.get(body[i + 1], body[i + 1].encode())
                i += 2
        else:
            out += body[i].encode()
            i += 1
    return out.decode()


def from_bits(bits, dtype):
    if dtype == "f64":
        return struct.unpack("<d", struct.pack("<Q", bits))[0]
    if dtype == "f32":
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    if dtype == "f16":
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    if dtype == "bf16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    raise FxGraphError(f"expected a float type for a hex literal but got {dtype}")


def parse(text):
    """[Function] of a module in generic form."""
    return Parser(text).module()
