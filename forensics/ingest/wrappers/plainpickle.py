"""Reads a Python pickle as plain data: nothing in it is ever imported, called or built.

``pickletools.genops`` takes the bytes apart into operations; a stack of our own carries them out, for data only. Where
a pickle names a class or a function, the name stays a name: what would be built from it becomes its state, a dict.
"""

import pickletools
from collections.abc import Callable, Iterator
from typing import Any

DEEPEST = 64
"""Levels of nesting that are told; what lies deeper becomes None."""

_MARK = object()
_CONTAINERS = {"EMPTY_LIST": list, "EMPTY_DICT": dict, "EMPTY_SET": list}
_CONSTANTS: dict[str, object] = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
_IGNORED = frozenset({"PROTO", "FRAME", "READONLY_BUFFER"})
_VALUES = ("INT", "LONG", "FLOAT", "STRING", "BYTES", "UNICODE", "BYTEARRAY")
"""What the names of operations that push a value of their own hold."""


class PickleError(ValueError):
    """The bytes are no pickle, or one that needs more than plain data; the text says what."""


class Named:
    """A class or function that the pickle names."""

    def __init__(self, name: str) -> None:
        self.name = name


class Made:
    """What the pickle would build: the name of its class or function, the arguments, and the state that is set."""

    def __init__(self, name: str, arguments: object) -> None:
        self.name, self.arguments = name, arguments
        self.state: object = None
        self.items: list[object] = []
        self.pairs: dict[object, object] = {}


def load(data: bytes) -> object:
    """Returns the first pickle in ``data``: dicts, lists, tuples, strings, bytes, numbers, None, and ``Made``.

    Raises ``PickleError``. Containers may be shared or contain themselves, as in the pickle.
    """
    machine = _Machine()
    try:
        for operation, argument, place in pickletools.genops(data):
            if operation.name == "STOP":
                return machine.pop()
            machine.step(operation.name, argument, place or 0)
    except PickleError:
        raise
    except (ValueError, IndexError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise PickleError(f"no whole pickle ({type(error).__name__})") from error
    raise PickleError("no whole pickle (it has no end)")


class _Machine:
    """The stack and the memo."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def pop(self) -> Any:
        value = self.stack.pop()
        if value is _MARK:
            raise PickleError("no whole pickle (a mark where a value is due)")
        return value

    def marked(self) -> list[Any]:
        """Returns what stands above the last mark, and drops both."""
        at = len(self.stack) - 1
        while at >= 0 and self.stack[at] is not _MARK:
            at -= 1
        if at < 0:
            raise PickleError("no whole pickle (a mark is missing)")
        found = self.stack[at + 1 :]
        del self.stack[at:]
        return found

    def step(self, name: str, argument: Any, place: int) -> None:
        """Carries out one operation. Raises ``PickleError`` if it is not one of plain data."""
        if name in _IGNORED:
            return
        if name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name])
        elif name in _CONTAINERS:
            self.stack.append(_CONTAINERS[name]())
        elif name in _STEPS:
            _STEPS[name](self, argument)
        elif any(value in name for value in _VALUES):
            self.stack.append(argument)
        else:
            raise PickleError(f"it needs {name} at byte {place}, which is no plain data")


def _mark(machine: _Machine, _argument: Any) -> None:
    machine.stack.append(_MARK)


def _pop(machine: _Machine, _argument: Any) -> None:
    machine.stack.pop()


def _pop_mark(machine: _Machine, _argument: Any) -> None:
    machine.marked()


def _dup(machine: _Machine, _argument: Any) -> None:
    machine.stack.append(machine.stack[-1])


def _put(machine: _Machine, argument: Any) -> None:
    machine.memo[int(argument)] = machine.stack[-1]


def _memoize(machine: _Machine, _argument: Any) -> None:
    machine.memo[len(machine.memo)] = machine.stack[-1]


def _get(machine: _Machine, argument: Any) -> None:
    machine.stack.append(machine.memo[int(argument)])


def _append(machine: _Machine, _argument: Any) -> None:
    value = machine.pop()
    _extend(machine.stack[-1], [value])


def _appends(machine: _Machine, _argument: Any) -> None:
    values = machine.marked()
    _extend(machine.stack[-1], values)


def _extend(target: Any, values: list[Any]) -> None:
    (target.items if isinstance(target, Made) else target).extend(values)


def _setitem(machine: _Machine, _argument: Any) -> None:
    value, key = machine.pop(), machine.pop()
    _update(machine.stack[-1], [key, value])


def _setitems(machine: _Machine, _argument: Any) -> None:
    values = machine.marked()
    _update(machine.stack[-1], values)


def _update(target: Any, values: list[Any]) -> None:
    pairs = target.pairs if isinstance(target, Made) else target
    for key, value in zip(values[::2], values[1::2], strict=True):
        pairs[key if isinstance(key, str | int | float | bytes | bool | None) else _text(key)] = value


def _text(key: object) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else type(key).__name__


def _tuple(count: int) -> Callable[[_Machine, Any], None]:
    def step(machine: _Machine, _argument: Any) -> None:
        values = [machine.pop() for _ in range(count)]
        machine.stack.append(tuple(reversed(values)))

    return step


def _tuple_of_marked(machine: _Machine, _argument: Any) -> None:
    machine.stack.append(tuple(machine.marked()))


def _list_of_marked(machine: _Machine, _argument: Any) -> None:
    machine.stack.append(machine.marked())


def _dict_of_marked(machine: _Machine, _argument: Any) -> None:
    values = machine.marked()
    machine.stack.append({})
    _update(machine.stack[-1], values)


def _global(machine: _Machine, argument: Any) -> None:
    machine.stack.append(Named(str(argument).replace(" ", ".")))


def _stack_global(machine: _Machine, _argument: Any) -> None:
    name, module = machine.pop(), machine.pop()
    machine.stack.append(Named(f"{module}.{name}"))


def _reduce(machine: _Machine, _argument: Any) -> None:
    arguments, function = machine.pop(), machine.pop()
    machine.stack.append(Made(_name(function), arguments))


def _newobj_ex(machine: _Machine, _argument: Any) -> None:
    keywords, arguments, kind = machine.pop(), machine.pop(), machine.pop()
    made = Made(_name(kind), arguments)
    made.state = keywords
    machine.stack.append(made)


def _inst(machine: _Machine, argument: Any) -> None:
    machine.stack.append(Made(str(argument).replace(" ", "."), tuple(machine.marked())))


def _obj(machine: _Machine, _argument: Any) -> None:
    kind, *arguments = machine.marked()
    machine.stack.append(Made(_name(kind), tuple(arguments)))


def _build(machine: _Machine, _argument: Any) -> None:
    state = machine.pop()
    if isinstance(machine.stack[-1], Made):
        machine.stack[-1].state = state


def _name(value: object) -> str:
    return value.name if isinstance(value, Named | Made) else type(value).__name__


_STEPS: dict[str, Callable[[_Machine, Any], None]] = {
    "MARK": _mark, "POP": _pop, "POP_MARK": _pop_mark, "DUP": _dup,
    "PUT": _put, "BINPUT": _put, "LONG_BINPUT": _put, "MEMOIZE": _memoize,
    "GET": _get, "BINGET": _get, "LONG_BINGET": _get,
    "APPEND": _append, "APPENDS": _appends, "ADDITEMS": _appends, "SETITEM": _setitem, "SETITEMS": _setitems,
    "TUPLE": _tuple_of_marked, "TUPLE1": _tuple(1), "TUPLE2": _tuple(2), "TUPLE3": _tuple(3),
    "LIST": _list_of_marked, "DICT": _dict_of_marked, "FROZENSET": _list_of_marked,
    "GLOBAL": _global, "STACK_GLOBAL": _stack_global, "REDUCE": _reduce, "NEWOBJ": _reduce, "NEWOBJ_EX": _newobj_ex,
    "INST": _inst, "OBJ": _obj, "BUILD": _build,
}  # fmt: skip


class Plain:
    """Turns loaded data into what JSON can hold: up to ``most`` values and characters, since they may repeat."""

    def __init__(self, most: int) -> None:
        self.left = most

    def of(self, value: object, depth: int = 0) -> Any:
        """Returns ``value`` as dicts, lists, strings, numbers and None. Raises ``PickleError`` if it is too much."""
        self.left -= 1 + (len(value) if isinstance(value, str | bytes | bytearray) else 0)
        if self.left < 0:
            raise PickleError("it repeats itself into more than is believed")
        if depth > DEEPEST:
            return None
        if isinstance(value, str | bool | float | None):
            return value
        if isinstance(value, int):
            return value if abs(value) < 1 << 64 else f"0x{value:x}"
        if isinstance(value, bytes | bytearray):
            return bytes(value).decode("utf-8", "replace")
        if isinstance(value, dict):
            return {_key(key): self.of(each, depth + 1) for key, each in value.items()}
        return self._built(value, depth)

    def _built(self, value: object, depth: int) -> Any:
        if isinstance(value, list | tuple):
            return [self.of(each, depth + 1) for each in value]
        return self._made(value, depth) if isinstance(value, Made) else _name(value)

    def _made(self, made: Made, depth: int) -> Any:
        """An object becomes its attributes; an enumeration's member its value; anything else its parts."""
        fields = dict(_fields(made.state)) | {_key(key): value for key, value in made.pairs.items()}
        if fields:
            return {key: self.of(value, depth + 1) for key, value in fields.items()}
        if made.items:
            return self.of(made.items, depth + 1)
        arguments = made.arguments
        if isinstance(arguments, tuple) and len(arguments) == 1:
            return self.of(arguments[0], depth + 1)
        return self.of(arguments, depth + 1)


def _fields(state: object) -> Iterator[tuple[str, object]]:
    """Attributes; those of slots stand beside the others in a pair."""
    for part in state if isinstance(state, tuple) else (state,):
        if isinstance(part, dict):
            for key, value in part.items():
                yield _key(key), value


def _key(key: object) -> str:
    return key if isinstance(key, str) else key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key)
