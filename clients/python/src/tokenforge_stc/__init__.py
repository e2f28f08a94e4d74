"""STC: JSON that costs fewer tokens, and comes back byte for byte.

>>> from tokenforge_stc import decode_stc, encode_stc
>>> encode_stc('[{"id": 1, "name": "users"}, {"id": 2, "name": "orders"}]')
'[2]{id,name}: 1,"users" / 2,"orders"'
>>> decode_stc('[2]{id,name}: 1,"users" / 2,"orders"')
'[{"id":1,"name":"users"},{"id":2,"name":"orders"}]'

``decode_stc`` reads both versions; ``encode_stc2`` writes the smaller one, which a reader has to know:

>>> from tokenforge_stc import encode_stc2
>>> print(encode_stc2('[{"id": 1, "name": "users"}, {"id": 2, "name": "orders"}]'))
stc2
[2]{id name}
1 users
2 orders

All functions copy strings and numbers as they were written. Nothing becomes a float or a dict on the way,
so ``1.10``, ``1E400``, ``\\u00e9`` and duplicate keys survive. :mod:`tokenforge_stc.http` decodes responses.

``encode_toon`` and ``decode_toon`` are for TOON. Compressed tool outputs are restored by the package ``tokenforge-engine``.
"""

from ._decode import MAX_OUTPUT, decode_stc
from ._encode import Level, Spelling, encode_stc, encode_stc2
from ._error import StcError
from ._toon import ToonError, decode_toon, encode_toon

__all__ = [
    "MAX_OUTPUT",
    "Level",
    "Spelling",
    "StcError",
    "ToonError",
    "decode_stc",
    "decode_toon",
    "encode_stc",
    "encode_stc2",
    "encode_toon",
]
