// The searches by regular expressions: values, errors and costs as a v1.36 API server computes them.
import { checkTable } from '../../support/cel-table.js';

checkTable('searches by regular expressions', [
  ["'abc 123'.find('[0-9]+')", { value: '123' }, 2],
  ["'abc 123'.find('x')", { value: '' }, 1],
  ["s.find(t + '(')", { error: 'Illegal regex: error parsing regexp: missing closing ): `o(`' }, 5],
  ["'123 abc 456'.findAll('[0-9]+')", { value: ['123', '456'] }, 4],
  ["'123 abc 456'.findAll('[0-9]+', 1)", { value: ['123'] }, 4],
  ["'123 abc 456'.findAll('[0-9]+', 0)", { value: [] }, 4],
  ["'123 abc 456'.findAll('[0-9]+', -1)", { value: ['123', '456'] }, 4],
  ["'123 abc 456'.findAll('x')", { value: [] }, 2],
  ["'aaa'.findAll('a*')", { value: ['aaa'] }, 1],
  ["'baaac'.findAll('a*')", { value: ['', 'aaa', ''] }, 1],
  ["'héé'.findAll('é')", { value: ['é', 'é'] }, 1],
  ["'abab'.findAll('(a)(b)')", { value: ['ab', 'ab'] }, 2],
  ["'aaa'.find('a+?')", { value: 'a' }, 1],
  ["'abcd'.find('ab|abcd')", { value: 'ab' }, 2],
  ["'xaay'.findAll('a??')", { value: ['', '', '', '', ''] }, 1],
  ["'foo bar'.find('(?U)o+')", { value: 'o' }, 2],
  ["'a\\nb'.find('(?s)a.b')", { value: 'a\nb' }, 2],
  ["'abc'.findAll('')", { value: ['', '', '', ''] }, 0],
  ["'abc'.findAll('\\\\b')", { value: ['', ''] }, 1],
  ["'a'.find(dyn(1))", { error: 'no such overload: find(string, int)' }, 1],
]);
