// The formatting of values: values, errors and costs as a v1.36 API server computes them.
import { checkTable } from '../../support/cel-table.js';

checkTable('formatting of values', [
  ["'%s'.format(['a'])", { value: 'a' }, 1],
  ["'%s %d %f'.format(['a', 1, 2.5])", { value: 'a 1 2.500000' }, 1],
  ["'%s'.format([1])", { value: '1' }, 1],
  ["'%s'.format([1.0])", { value: '1' }, 1],
  ["'%s'.format([1e30])", { value: '1e+30' }, 1],
  ["'%s'.format([true])", { value: 'true' }, 1],
  ["'%s'.format([null])", { value: 'null' }, 1],
  ["'%s'.format([duration('90s')])", { value: '90s' }, 1],
  ["'%s'.format([timestamp('2020-01-01T00:00:00Z')])", { value: '2020-01-01T00:00:00Z' }, 1],
  ["'%s'.format([[1,2]])", { value: '[1, 2]' }, 1],
  ["'%s'.format([{'a':1,'b':2}])", { value: '{"a":1, "b":2}' }, 1],
  ["'%s'.format([b'abc'])", { value: 'abc' }, 1],
  ["'%s'.format([int])", { value: 'int' }, 1],
  ["'%s'.format([1u])", { value: '1' }, 1],
  [
    "'%s'.format([quantity('1k')])",
    {
      refused:
        'ERROR: <input>:1:22: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity',
    },
    0,
  ],
  [
    "'%s'.format([ip('1.2.3.4')])",
    {
      refused:
        'ERROR: <input>:1:16: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given net.IP',
    },
    0,
  ],
  ["'%s'.format([double('NaN')])", { value: 'NaN' }, 1],
  ["'%s'.format([double('Infinity')])", { value: '+Inf' }, 1],
  [
    "'%d'.format([1.5])",
    {
      refused:
        'ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given double',
    },
    0,
  ],
  [
    "'%d'.format(['a'])",
    {
      refused:
        'ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given string',
    },
    0,
  ],
  ["'%d'.format([1u])", { value: '1' }, 1],
  ["'%d'.format([-12345])", { value: '-12345' }, 1],
  ["'%f'.format([2.5])", { value: '2.500000' }, 1],
  ["'%.2f'.format([2.555])", { value: '2.56' }, 1],
  ["'%.0f'.format([2.5])", { value: '2' }, 1],
  [
    "'%f'.format([1])",
    {
      refused:
        'ERROR: <input>:1:14: error during formatting: fixed-point clause can only be used on doubles, was given int',
    },
    0,
  ],
  ["'%f'.format(['NaN'])", { value: 'NaN' }, 1],
  [
    "'%f'.format(['x'])",
    { error: 'error during formatting: fixed-point clause can only be used on doubles, was given string' },
    1,
  ],
  ["'%f'.format([double('NaN')])", { value: 'NaN' }, 1],
  ["'%f'.format([double('-Infinity')])", { value: '-∞' }, 1],
  [
    "'%f'.format([1u])",
    {
      refused:
        'ERROR: <input>:1:14: error during formatting: fixed-point clause can only be used on doubles, was given uint',
    },
    0,
  ],
  ["'%e'.format([1052.032911275])", { value: '1.052033×10⁰³' }, 1],
  ["'%.3e'.format([1052.032911275])", { value: '1.052033×10⁰³' }, 1],
  [
    "'%e'.format([1])",
    {
      refused:
        'ERROR: <input>:1:14: error during formatting: scientific clause can only be used on doubles, was given int',
    },
    0,
  ],
  ["'%b'.format([5])", { value: '101' }, 1],
  ["'%b'.format([true])", { value: '1' }, 1],
  ["'%b'.format([5u])", { value: '101' }, 1],
  [
    "'%b'.format(['a'])",
    {
      refused:
        'ERROR: <input>:1:14: error during formatting: only integers and bools can be formatted as binary, was given string',
    },
    0,
  ],
  ["'%b'.format([-5])", { value: '-101' }, 1],
  ["'%x'.format([255])", { value: 'ff' }, 1],
  ["'%X'.format([255])", { value: 'FF' }, 1],
  ["'%x'.format(['hi'])", { value: '6869' }, 1],
  ["'%X'.format([b'hi'])", { value: '6869' }, 1],
  ["'%x'.format([-255])", { value: '-ff' }, 1],
  ["'%x'.format([255u])", { value: 'ff' }, 1],
  [
    "'%x'.format([1.5])",
    {
      refused:
        'ERROR: <input>:1:14: error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double',
    },
    0,
  ],
  ["'%o'.format([8])", { value: '10' }, 1],
  ["'%o'.format([8u])", { value: '10' }, 1],
  [
    "'%o'.format(['a'])",
    {
      refused:
        'ERROR: <input>:1:14: error during formatting: octal clause can only be used on integers, was given string',
    },
    0,
  ],
  ["'%%'.format([])", { value: '%' }, 1],
  ["'%.12s'.format(['a'])", { value: 'a' }, 1],
  ['s.format([1])', { value: 'hello world' }, 3],
  ["'%s'.format(d)", { value: '1' }, 2],
  ['s.format(ls)', { value: 'hello world' }, 4],
  ["'%s %s'.format(ls)", { value: 'a bb' }, 2],
  ["'%d'.format([9223372036854775807])", { value: '9223372036854775807' }, 1],
  [
    "'%s'.format([optional.of(1)])",
    {
      refused:
        'ERROR: <input>:1:25: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given optional_type',
    },
    0,
  ],
  ["'%s'.format([{1:true}])", { value: '{1:true}' }, 1],
  ["'%s'.format([[type(1)]])", { value: '[int]' }, 1],
  ["'%s'.format([[1.0]])", { value: '[1.000000]' }, 1],
  ["'%s'.format([[double('NaN')]])", { value: '["NaN"]' }, 1],
  ["'%s'.format([{2:'b',1:'a'}])", { value: '{1:"a", 2:"b"}' }, 1],
  [
    "'%d'.format([[1]])",
    {
      refused:
        'ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given list',
    },
    0,
  ],
  ["'%s'.format([0.1])", { value: '0.1' }, 1],
  ["'%s'.format([123456789.125])", { value: '1.23456789125e+08' }, 1],
  ["'%f'.format([123456789.125])", { value: '123,456,789.125000' }, 1],
  ["'%f'.format([0.1])", { value: '0.100000' }, 1],
  ["'%f'.format([1e20])", { value: '100,000,000,000,000,000,000.000000' }, 1],
  ["'%f'.format([1e-7])", { value: '0.000000' }, 1],
  ["'%.1f'.format([0.25])", { value: '0.2' }, 1],
  ["'%.1f'.format([0.35])", { value: '0.3' }, 1],
  ["'%.3f'.format([-1234.5678])", { value: '-1,234.568' }, 1],
  ["'%f'.format([double('Infinity')])", { value: '∞' }, 1],
  ["'%f'.format([1.0])", { value: '1.000000' }, 1],
  ["'%e'.format([0.0])", { value: '0.000000×10⁰⁰' }, 1],
  ["'%e'.format([-0.00012345678])", { value: '-1.234568×10⁻⁰⁴' }, 1],
  ["'%e'.format([1e100])", { value: '1.000000×10¹⁰⁰' }, 1],
  ["'%e'.format([double('NaN')])", { value: '   NaN' }, 1],
  ["'%e'.format(['Infinity'])", { value: '     ∞' }, 1],
  [
    "'%e'.format(['x'])",
    { error: 'error during formatting: scientific clause can only be used on doubles, was given string' },
    1,
  ],
  ["'%.0e'.format([12345.0])", { value: '1.234500×10⁰⁴' }, 1],
  ["'%s'.format([1.5])", { value: '1.5' }, 1],
  ["'%s'.format([-0.0])", { value: '-0' }, 1],
  ["'%s'.format([double('-Infinity')])", { value: '-Inf' }, 1],
  ["'%s'.format([[double('Infinity'), double('-Infinity')]])", { value: '["+Inf", "-Inf"]' }, 1],
  ["'%s'.format([{'a':double('Infinity')}])", { value: '{"a":"+Inf"}' }, 1],
  ["'%s'.format([[int]])", { value: '[int]' }, 1],
  ["'%s'.format([type(type(1))])", { value: 'type' }, 1],
  [
    "'%d'.format([dyn('a')])",
    { error: 'error during formatting: decimal clause can only be used on integers, was given string' },
    1,
  ],
  [
    "'%s'.format([dyn(quantity('1'))])",
    {
      error:
        'error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity',
    },
    13,
  ],
  ["'%q'.format(d)", { error: 'could not parse formatting clause: unrecognized formatting clause "q"' }, 2],
  ["s.format(['a'])", { value: 'hello world' }, 3],
  ["t.format(['a', 1])", { value: 'o' }, 2],
  ["'%'.format(d)", { error: 'unexpected end of string' }, 2],
  [
    "'%d'.format(ls)",
    { error: 'error during formatting: decimal clause can only be used on integers, was given string' },
    2,
  ],
  [
    "'%x'.format([dyn(1.5)])",
    {
      error:
        'error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double',
    },
    1,
  ],
  [
    "'%b'.format([dyn(1.5)])",
    { error: 'error during formatting: only integers and bools can be formatted as binary, was given double' },
    1,
  ],
  [
    "'%o'.format([dyn(1.5)])",
    { error: 'error during formatting: octal clause can only be used on integers, was given double' },
    1,
  ],
  [
    "'%e'.format([dyn(1)])",
    { error: 'error during formatting: scientific clause can only be used on doubles, was given int' },
    1,
  ],
  [
    "'%f'.format([dyn(1)])",
    { error: 'error during formatting: fixed-point clause can only be used on doubles, was given int' },
    1,
  ],
  ["'%s %s %s'.format(ls)", { error: 'index 2 out of range' }, 2],
  ["'%s'.format(ls)", { value: 'a' }, 2],
  [
    "'%.s'.format(ls)",
    {
      error:
        'could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    },
    2,
  ],
  [
    "'%.5'.format(ls)",
    {
      error:
        'could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
    },
    2,
  ],
  ["'%5s'.format(ls)", { error: 'could not parse formatting clause: unrecognized formatting clause "5"' }, 2],
  ["'%X'.format(['\\xff<'])", { value: 'C3BF3C' }, 1],
  [
    "'%d'.format([dyn(double('NaN'))])",
    { error: 'error during formatting: decimal clause can only be used on integers, was given double' },
    1,
  ],
  [
    "'%d'.format(['NaN'])",
    {
      refused:
        'ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given string',
    },
    0,
  ],
  [
    "'%s'.format([[dyn(quantity('1'))]])",
    { error: 'error during formatting: no formatting function for kubernetes.Quantity' },
    23,
  ],
  ["'%s'.format([[dyn(1)]])", { value: '[1]' }, 1],
  [
    "'%s'.format([b'\\xff'])",
    {
      error:
        'error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string',
    },
    1,
  ],
]);
