"""The names that an object file asks for, read from its bytes: ELF, Mach-O and COFF of 64 bits."""

from __future__ import annotations

import struct


def wanted_names(data: bytes) -> set[str]:
    """Return the symbols that the loader must find elsewhere."""
    if data[:4] == b"\x7fELF":
        return _of_elf(data)
    if data[:4] == b"\xcf\xfa\xed\xfe":
        return _of_macho(data)
    return _of_coff(data)


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode()


def _of_elf(data: bytes) -> set[str]:
    """System V ABI, "Object files": sections of 64 bytes, symbols of 24."""
    (sections,) = struct.unpack_from("<Q", data, 0x28)
    (count,) = struct.unpack_from("<H", data, 0x3C)
    heads = [struct.unpack_from("<IIQQQQIIQQ", data, sections + 64 * k) for k in range(count)]
    names = set()
    for _, kind, _, _, start, size, link, *_ in heads:
        # SHT_SYMTAB; its link is the section of the names
        if kind == 2:
            for at in range(start, start + size, 24):
                name, _, _, section = struct.unpack_from("<IBBH", data, at)
                if name and not section:
                    names.add(_text(data, heads[link][4] + name))
    return names


def _of_macho(data: bytes) -> set[str]:
    """Apple's <mach-o/loader.h> and <mach-o/nlist.h>: load commands, symbols of 16 bytes."""
    (count,) = struct.unpack_from("<I", data, 16)
    at, names = 32, set()
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        # LC_SYMTAB
        if command == 2:
            symbols, number, strings, _ = struct.unpack_from("<IIII", data, at + 8)
            for k in range(number):
                name, kind, _, _, value = struct.unpack_from("<IBBHQ", data, symbols + 16 * k)
                # external, of no section, without a value
                if kind & 0x0F == 1 and not value:
                    names.add(_text(data, strings + name))
        at += size
    return names


def _of_coff(data: bytes) -> set[str]:
    """Microsoft's "PE Format": symbols of 18 bytes, long names behind them."""
    symbols, count = struct.unpack_from("<II", data, 8)
    strings = symbols + 18 * count
    names, k = set(), 0
    while k < count:
        at = symbols + 18 * k
        short, value, section, _, storage, more = struct.unpack_from("<8sIhHBB", data, at)
        # IMAGE_SYM_CLASS_EXTERNAL of IMAGE_SYM_UNDEFINED
        if storage == 2 and section == 0 and value == 0:
            is_short = short[:4] != bytes(4)
            (offset,) = struct.unpack_from("<I", short, 4)
            names.add(short.rstrip(b"\0").decode() if is_short else _text(data, strings + offset))
        k += 1 + more
    return names
