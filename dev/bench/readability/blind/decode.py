#!/usr/bin/env python3
"""stc2 text on stdin -> minified JSON on stdout (see NOTES.md)."""
import re
import sys
from decimal import Decimal

sys.setrecursionlimit(100000)

NUM = re.compile(r'-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z')
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)
MARK = re.compile(r'[&*]([0-9]+)')
LIST_TABLE = re.compile(r'\[([0-9]+)\](?=\{)')
MAP_TABLE = re.compile(r'\{([0-9]+)\}(?=\{)')
SEQ = re.compile(r'(-?[0-9][0-9.eE+-]*?),(-?[0-9][0-9.eE+-]*?)\.\.')
NAME = re.compile(r'[^\s:=?{}\[\]()"|]+')
TERM = re.compile(r'[^\s+{}\[\]()"|]+')
WS = ' \t\r\n'
OPEN = {')': '(', ']': '[', '}': '{'}


class Bad(Exception):
    pass


# ---- values: Str holds the text as it stands between JSON quotes -------------
class Str:
    def __init__(self, raw):
        self.raw = raw


class Lit:                      # number, true, false, null: spelled as in the text
    def __init__(self, text):
        self.text = text


class Arr:
    def __init__(self, items):
        self.items = items


class Obj:
    def __init__(self, pairs, up=None):
        self.pairs, self.up = pairs, up

    def get(self, name):
        for k, v in self.pairs:
            if k == name:
                return v
        return None


class Derived:                  # computed from other columns of the row
    def __init__(self, terms, row, cell=None):
        self.terms, self.row, self.cell, self.busy = terms, row, cell, False


ABSENT = Lit('-')
NULL = Lit('null')


def escape(s):
    out = []
    for c in s:
        if c == '"' or c == '\\':
            out.append('\\' + c)
        elif c < ' ':
            out.append({'\n': '\\n', '\t': '\\t', '\r': '\\r', '\b': '\\b', '\f': '\\f'}
                       .get(c) or '\\u%04x' % ord(c))
        else:
            out.append(c)
    return ''.join(out)


def bare_value(s):
    if s in ('true', 'false', 'null') or NUM.match(s):
        return Lit(s)
    return Str(escape(s))


def seq_value(a, b, i):
    if '.' not in a + b and 'e' not in (a + b).lower():
        return str(int(a) + (int(b) - int(a)) * i)
    if i == 0:
        return a
    if i == 1:
        return b
    return str(Decimal(a) + (Decimal(b) - Decimal(a)) * i)


class Col:
    def __init__(self, name):
        self.name = name        # raw JSON text of the key
        self.opt = False
        self.kind = 'plain'     # plain const group paren list expr
        self.const = None
        self.cols = None
        self.terms = None

    @property
    def has_cell(self):
        return self.kind != 'expr' or any(t[0] == 'cell' for t in self.terms)


class Parser:
    def __init__(self, text, opt_const_cell, opt_expr_cell, strict, restart):
        self.t = text
        self.p = 0
        self.defs = {}
        self.opt_const_cell = opt_const_cell
        self.opt_expr_cell = opt_expr_cell
        self.strict = strict
        self.restart = restart

    def peek(self):
        return self.t[self.p] if self.p < len(self.t) else ''

    def ws(self):
        while self.p < len(self.t) and self.t[self.p] in WS:
            self.p += 1

    def expect(self, c):
        if self.peek() != c:
            raise Bad('expected %r at %d: %r' % (c, self.p, self.t[self.p:self.p + 40]))
        self.p += 1

    def quoted(self):
        m = QUOTED.match(self.t, self.p)
        if not m:
            raise Bad('open string at %d' % self.p)
        self.p = m.end()
        # raw control characters inside quotes would not be JSON
        return re.sub(r'[\x00-\x1f]', lambda c: escape(c.group()), m.group(1))

    def bare(self, close):
        """A run without quotes: up to white space or the closer of what surrounds it."""
        t, i, n = self.t, self.p, len(self.t)
        depth = 0
        opener = OPEN.get(close)
        while i < n:
            c = t[i]
            if c in WS:
                break
            if c == close:
                if depth == 0:
                    break
                depth -= 1
            elif c == opener:
                depth += 1
            i += 1
        s = t[self.p:i]
        self.p = i
        return s

    def at_end_of_cell(self, close):
        c = self.peek()
        return c == '' or c in WS or c == close or c in ')]}'

    # ---- a value anywhere ----------------------------------------------------
    def value(self, close, force_str=False, listcol=None):
        """close: closer of the surrounding thing. force_str: bare text is a string.
        listcol: (column, state, row) if a '[' here opens the rows of that column."""
        c = self.peek()
        if c == '':
            raise Bad('text ends too early')
        if c == '[' or c == '{' or (c == '(' and listcol and listcol[0].kind == 'paren'):
            return self.structure(close, listcol)
        if c == '"' or MARK.match(self.t, self.p):
            return self.chain(close, listcol)
        s = self.bare(close)
        if s == '':
            raise Bad('value expected at %d: %r' % (self.p, self.t[self.p:self.p + 40]))
        if force_str and s != 'null':
            return Str(escape(s))
        return bare_value(s)

    def chain(self, close, listcol):
        """Adjacent parts: "..." , *n , &n"..." and a last bare run."""
        parts = [self.part(close, listcol)]
        while not self.at_end_of_cell(close):
            c = self.peek()
            if c == '"' or MARK.match(self.t, self.p):
                parts.append(self.part(close, None))
            else:
                parts.append(Str(escape(self.bare(close))))
        if len(parts) == 1:
            return parts[0]
        return Str(''.join(as_text(x) for x in parts))

    def part(self, close, listcol):
        if self.peek() == '"':
            return Str(self.quoted())
        m = MARK.match(self.t, self.p)
        n = int(m.group(1))
        self.p = m.end()
        if m.group()[0] == '*':
            if n not in self.defs:
                raise Bad('*%d is not defined' % n)
            return self.defs[n]
        c = self.peek()
        if c == '"':
            v = Str(self.quoted())
        elif MARK.match(self.t, self.p):
            v = self.part(close, listcol)
            if self.peek() == '"':      # &2*1"/more"... : the name covers *1"/more"
                v = Str(as_text(v) + self.quoted())
        else:
            v = self.value(close, False, listcol)
        self.defs[n] = v
        return v

    def structure(self, close, listcol):
        m = LIST_TABLE.match(self.t, self.p)
        if m:
            return self.table(m, False, close)
        m = MAP_TABLE.match(self.t, self.p)
        if m:
            return self.table(m, True, close)
        c = self.peek()
        if listcol and c == '[' and listcol[0].kind == 'list':
            return self.list_rows(*listcol)
        if listcol and c == '(' and listcol[0].kind == 'paren':
            return self.paren_row(*listcol)
        self.p += 1
        if c == '[':
            items = []
            self.ws()
            while self.peek() != ']':
                items.append(self.value(']'))
                self.ws()
            self.p += 1
            return Arr(items)
        pairs = []
        self.ws()
        while self.peek() != '}':
            k = self.key()
            self.ws()
            pairs.append((k, self.value('}')))
            self.ws()
        self.p += 1
        return Obj(pairs)

    def key(self):
        c = self.peek()
        if c == '"':
            k = self.quoted()
        else:
            m = MARK.match(self.t, self.p)
            if m and (m.group()[0] == '&' or int(m.group(1)) in self.defs):
                k = as_text(self.part(':', None))
                while self.peek() == '"':
                    k += self.quoted()
            else:
                k = ''
            if self.peek() != ':':
                i = self.t.find(':', self.p)
                if i < 0:
                    raise Bad('key expected at %d' % self.p)
                s = self.t[self.p:i]
                if not s or re.search(r'\s', s):
                    raise Bad('key expected at %d: %r' % (self.p, s[:40]))
                self.p = i
                k += escape(s)
        self.expect(':')
        return k

    # ---- tables --------------------------------------------------------------
    def table(self, m, keyed, close):
        count = int(m.group(1))
        self.p = m.end()
        cols = self.columns('{', '}')
        state = {}
        out = []
        cells = keyed or needs_cells(cols)
        for i in range(count):
            start = self.p
            if cells:
                self.ws()
                if self.peek() == '|':
                    self.p += 1
                    self.ws()
                if self.strict and '\n' not in self.t[start:self.p]:
                    raise Bad('row %d does not start on a line of its own' % i)
            elif self.peek() == '\n':
                self.p += 1
            k = self.key() if keyed else None
            row = Obj([])
            self.row(cols, state, row, i, close, True)
            out.append((k, row) if keyed else row)
        return Obj(out) if keyed else Arr(out)

    def columns(self, o, c):
        self.expect(o)
        cols = []
        self.ws()
        while self.peek() != c:
            cols.append(self.column(c))
            self.ws()
        self.p += 1
        return cols

    def column(self, close):
        if self.peek() == '"':
            name = self.quoted()
        else:
            m = NAME.match(self.t, self.p)
            if not m:
                raise Bad('column name expected at %d: %r' % (self.p, self.t[self.p:self.p + 40]))
            self.p = m.end()
            name = escape(m.group())
        col = Col(name)
        while True:
            c = self.peek()
            if c == '?':
                self.p += 1
                col.opt = True
            elif c == ':' and col.kind == 'plain':
                self.p += 1
                col.kind, col.const = 'const', self.value(close)
            elif c == '=' and col.kind == 'plain':
                self.p += 1
                col.kind, col.terms = 'expr', self.terms(close)
            elif c in ('{', '[', '(') and col.kind == 'plain':
                col.kind = {'{': 'group', '[': 'list', '(': 'paren'}[c]
                col.cols = self.columns(c, {'{': '}', '[': ']', '(': ')'}[c])
            else:
                return col

    def terms(self, close):
        out = []
        while True:
            c = self.peek()
            if c == '"':
                out.append(('str', self.quoted()))
            elif MARK.match(self.t, self.p):
                v = as_text(self.part(close, None))
                while self.peek() == '"':
                    v += self.quoted()
                out.append(('str', v))
            elif c == '*':
                self.p += 1
                out.append(('cell',))
            else:
                m = SEQ.match(self.t, self.p)
                if m:
                    self.p = m.end()
                    out.append(('seq', m.group(1), m.group(2)))
                else:
                    m = TERM.match(self.t, self.p)
                    if not m:
                        raise Bad('term expected at %d' % self.p)
                    self.p = m.end()
                    out.append(('ref', escape(m.group())))
            if self.peek() != '+':
                return out
            self.p += 1

    # ---- rows ----------------------------------------------------------------
    def gap(self, first):
        """Before a cell: blanks, but (when strict) not the end of the line."""
        if first:
            return
        s = self.p
        while self.peek() and self.peek() in WS:
            self.p += 1
        if self.strict and '\n' in self.t[s:self.p]:
            raise Bad('row too short before %d' % self.p)
        if s == self.p and self.t[s - 1] not in ')]}"':
            raise Bad('cell expected at %d' % s)

    def row(self, cols, state, row, i, close, first):
        """Fill row.pairs from the cells at hand; returns whether no cell was read yet."""
        for col in cols:
            st = state.setdefault(id(col), {})
            if col.kind == 'const':
                if col.opt and self.opt_const_cell:
                    self.gap(first)
                    first = False
                    if self.cell(col, st, row, i, close) is ABSENT:
                        continue
                row.pairs.append((col.name, col.const))
            elif col.kind == 'group':
                sub = Obj([], row)
                if col.opt and not (col.cols and col.cols[0].opt):
                    s = self.p
                    self.gap(first)
                    mark = self.p
                    w = self.bare(close)
                    if w in ('-', 'null'):
                        first = False
                        if w == 'null':
                            row.pairs.append((col.name, NULL))
                        continue
                    self.p = mark if first else s
                row.pairs.append((col.name, sub))
                first = self.row(col.cols, st, sub, i, close, first)
            elif col.kind == 'expr' and not col.has_cell:
                if col.opt and self.opt_expr_cell:
                    self.gap(first)
                    first = False
                    if self.cell(col, st, row, i, close) is ABSENT:
                        continue
                row.pairs.append((col.name, self.derive(col, row, i, None)))
            else:
                self.gap(first)
                first = False
                v = self.cell(col, st, row, i, close)
                if v is ABSENT:
                    continue
                if col.kind == 'expr' and isinstance(v, (Str, Lit)) and v is not NULL \
                        and not (isinstance(v, Lit) and v.text == 'null'):
                    v = self.derive(col, row, i, v)
                row.pairs.append((col.name, v))
        return first

    def cell(self, col, st, row, i, close):
        mark = self.p
        if self.peek() in ('-', '^'):
            w = self.bare(close)
            if w == '^':
                if 'prev' not in st:
                    raise Bad('^ with nothing above at %d' % mark)
                return st['prev']
            if w == '-' and col.opt:
                st['prev'] = ABSENT
                return ABSENT
            self.p = mark
        v = self.value(close, col.kind == 'expr', (col, st, row, i)
                       if col.kind in ('list', 'paren') else None)
        st['prev'] = v
        return v

    def derive(self, col, row, i, cell):
        terms = []
        for t in col.terms:
            if t[0] == 'seq':
                terms.append(('num', seq_value(t[1], t[2], i)))
            elif t[0] == 'cell':
                terms.append(('str', as_text(cell)))
            else:
                terms.append(t)
        if len(terms) == 1 and terms[0][0] == 'num':
            return Lit(terms[0][1])
        if all(t[0] != 'ref' for t in terms):
            return Str(''.join(t[1] for t in terms))
        return Derived(terms, row)

    def list_rows(self, col, st, up, _i):
        self.expect('[')
        rows = []
        if self.peek() == ']':
            self.p += 1
            return Arr(rows)
        self.ws()
        if not col.cols:                      # name[] : plain values
            while self.peek() != ']':
                if self.peek() == '|':
                    self.p += 1
                else:
                    rows.append(self.value(']'))
                self.ws()
            self.p += 1
            return Arr(rows)
        while True:
            if self.restart:
                i = len(rows)
            else:
                i = st['n'] = st.get('n', -1) + 1
            row = Obj([], up)
            self.row(col.cols, st, row, i, ']', True)
            rows.append(row)
            self.ws()
            c = self.peek()
            self.p += 1
            if c == ']':
                return Arr(rows)
            if c != '|':
                raise Bad('| or ] expected at %d: %r' % (self.p - 1, self.t[self.p - 1:self.p + 40]))
            self.ws()

    def paren_row(self, col, st, up, i):
        self.expect('(')
        self.ws()
        row = Obj([], up)
        self.row(col.cols, st, row, i, ')', True)
        self.ws()
        self.expect(')')
        return row

    def document(self):
        m = re.match(r'\ufeff?stc2[ \t]*(?:\r?\n|\Z)', self.t)
        if m:
            self.p = m.end()
        self.ws()
        v = self.value('')
        self.ws()
        if self.p < len(self.t):
            raise Bad('text left over at %d: %r' % (self.p, self.t[self.p:self.p + 40]))
        return v


def needs_cells(cols):
    return any(needs_cells(c.cols) if c.kind == 'group' else
               (c.opt or c.kind != 'const' and c.has_cell) for c in cols)


def as_text(v):
    if isinstance(v, Str):
        return v.raw
    if isinstance(v, Lit):
        return v.text
    if isinstance(v, Derived):
        v = evaluate(v)
        return as_text(v) if v is not None else ''
    raise Bad('text expected')


def find(row, name):
    r = row
    while r is not None:
        v = r.get(name)
        if v is not None:
            return v
        if '.' in name:
            v = r
            for part in name.split('.'):
                v = v.get(part) if isinstance(v, Obj) else None
            if v is not None:
                return v
        r = r.up
    todo = [row]
    while todo:
        r = todo.pop(0)
        for k, v in r.pairs:
            if isinstance(v, Obj):
                if v.get(name) is not None:
                    return v.get(name)
                todo.append(v)
    return None


def evaluate(d):
    """None: absent."""
    if d.busy:
        raise Bad('columns refer to each other in a circle')
    d.busy = True
    out = []
    res = None
    for t in d.terms:
        if t[0] != 'ref':
            out.append(t[1])
            continue
        v = find(d.row, t[1])
        if isinstance(v, Derived):
            v = evaluate(v)
        if v is None:
            break
        if isinstance(v, Lit) and v.text == 'null' or len(d.terms) == 1:
            res = v
            break
        out.append(as_text(v))
    else:
        res = Str(''.join(out))
    d.busy = False
    return res


def render(v, out):
    if isinstance(v, Derived):
        v = evaluate(v)
    if isinstance(v, Str):
        out.append('"' + v.raw + '"')
    elif isinstance(v, Lit):
        out.append(v.text)
    elif isinstance(v, Arr):
        out.append('[')
        for i, x in enumerate(v.items):
            if i:
                out.append(',')
            render(x, out)
        out.append(']')
    else:
        out.append('{')
        first = True
        for k, x in v.pairs:
            if isinstance(x, Derived):
                x = evaluate(x)
            if x is None:
                continue
            out.append(('' if first else ',') + '"' + k + '":')
            first = False
            render(x, out)
        out.append('}')


def decode(text):
    # The samples leave open whether name?:value and name?=other+"x" own a cell;
    # the reading under which every row fills exactly its line wins.
    first_error = None
    for strict in (True, False):
        for expr_cell in (False, True):
            for const_cell in (True, False):
                try:
                    v = Parser(text, const_cell, expr_cell, strict, True).document()
                    out = []
                    render(v, out)
                    return ''.join(out)
                except Bad as e:
                    first_error = first_error or e
    raise first_error


def main():
    text = sys.stdin.buffer.read().decode('utf-8', 'surrogateescape')
    try:
        out = decode(text)
    except Bad as e:
        sys.stderr.write('decode.py: %s\n' % e)
        sys.exit(1)
    sys.stdout.buffer.write(out.encode('utf-8', 'surrogateescape'))


if __name__ == '__main__':
    main()
