// The formats by name: values, errors and costs as a v1.36 API server computes them.
import { checkTable } from '../../support/cel-table.js';

checkTable('formats by name', [
  ["format.named('dns1123Label').hasValue()", { value: true }, 2],
  ["format.named('nope').hasValue()", { value: false }, 2],
  ['format.dns1123Label()', { type: 'kubernetes.NamedFormat' }, 1],
  ["format.dns1123Label().validate('ok').hasValue()", { value: false }, 10],
  [
    "format.dns1123Label().validate('Not ok').value()",
    {
      value: [
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ],
    },
    10,
  ],
  [
    "format.dns1123Label().validate('').value()",
    {
      value: [
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ],
    },
    10,
  ],
  [
    "format.dns1123Label().validate('a--'+'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'+'-').value()",
    {
      value: [
        'must be no more than 63 characters',
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ],
    },
    122,
  ],
  [
    "format.dns1123Subdomain().validate('a.B').value()",
    {
      value: [
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    },
    17,
  ],
  [
    "format.dns1035Label().validate('1a').value()",
    {
      value: [
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ],
    },
    10,
  ],
  ["format.dns1123LabelPrefix().validate('a-').hasValue()", { value: false }, 10],
  ["format.dns1123LabelPrefix().validate('A-').value()", { error: 'optional.none() dereference' }, 10],
  ["format.dns1123SubdomainPrefix().validate('a.-').hasValue()", { value: false }, 17],
  ["format.dns1123SubdomainPrefix().validate('a.').hasValue()", { value: true }, 17],
  ["format.dns1123SubdomainPrefix().validate('A-').value()", { error: 'optional.none() dereference' }, 17],
  ["format.dns1035LabelPrefix().validate('1-').value()", { error: 'optional.none() dereference' }, 10],
  ["format.dns1035LabelPrefix().validate('a-').hasValue()", { value: false }, 10],
  [
    "format.dns1123LabelPrefix().validate('').value()",
    {
      value: [
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ],
    },
    10,
  ],
  [
    "format.dns1123LabelPrefix().validate('-').value()",
    {
      value: [
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ],
    },
    10,
  ],
  [
    "format.qualifiedName().validate('a/b/c').value()",
    {
      value: [
        "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
      ],
    },
    17,
  ],
  ["format.qualifiedName().validate('a/b').hasValue()", { value: false }, 17],
  [
    "format.qualifiedName().validate('').value()",
    {
      value: [
        'name part must be non-empty',
        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    },
    17,
  ],
  [
    "format.labelValue().validate('a b').value()",
    {
      value: [
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      ],
    },
    12,
  ],
  ["format.labelValue().validate('').hasValue()", { value: false }, 12],
  ["format.uri().validate('http://a').hasValue()", { value: false }, 278],
  ["format.uri().validate('a b').value()", { value: ['parse "a b": invalid URI for request'] }, 278],
  ["format.uri().validate('/a').hasValue()", { value: false }, 278],
  ["format.uri().validate('').value()", { value: ['parse "": empty url'] }, 278],
  ["format.uuid().validate('x').value()", { value: ['does not match the UUID format'] }, 20],
  ["format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()", { value: false }, 74],
  ["format.uuid().validate('123e4567e89b12d3a456426614174000').hasValue()", { value: false }, 74],
  ["format.uuid().validate('123E4567-E89B-12D3-A456-426614174000').hasValue()", { value: false }, 74],
  ["format.byte().validate('!').value()", { value: ['invalid base64'] }, 23],
  ["format.byte().validate('YWI=').hasValue()", { value: false }, 23],
  ["format.byte().validate('YWI').value()", { value: ['invalid base64'] }, 23],
  ["format.byte().validate('').hasValue()", { value: true }, 23],
  ["format.date().validate('x').value()", { value: ['invalid date'] }, 20],
  ["format.date().validate('2020-01-01').hasValue()", { value: false }, 38],
  ["format.date().validate('2020-13-01').value()", { value: ['invalid date'] }, 38],
  ["format.datetime().validate('x').value()", { value: ['invalid datetime'] }, 20],
  ["format.datetime().validate('2020-01-01T00:00:00Z').hasValue()", { value: false }, 56],
  ["format.datetime().validate('2020-01-01 00:00:00Z').hasValue()", { value: true }, 56],
  ["format.datetime().validate('2020-01-01T00:00:00.123+02:00').hasValue()", { value: false }, 56],
  ["format.datetime().validate('2020-01-01T25:00:00Z').hasValue()", { value: true }, 56],
  ['type(format.uri())', { type: 'kubernetes.NamedFormat' }, 2],
  ["format.named('uri').value().validate(s).value()", { value: ['parse "hello world": invalid URI for request'] }, 556],
  ['format.uri().validate(s).value().all(x, x == t)', { value: false }, 562],
]);
