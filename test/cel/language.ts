// What an environment offers beyond the language itself: libraries, variables, object types, literals of their types.
import t from 'tap';
import {
  EvaluationError,
  FieldsValue,
  KeyedMap,
  ListValue,
  MacroError,
  OpaqueValue,
  boolType,
  dynType,
  intType,
  listType,
  opaqueType,
  printType,
  stringType,
  typeParameter,
} from '../../lib/cel/index.js';
import type { CelType, CelValue, Compilation, CompiledExpression, Library, ObjectType } from '../../lib/cel/index.js';
import { evaluate, language, valueOf } from '../support/cel.js';

function compiled(compilation: Compilation): CompiledExpression {
  if (!compilation.ok) throw new Error(compilation.message);
  return compilation.expression;
}

t.test('a library adds functions, methods, constants and macros', async (t) => {
  const colour = opaqueType('example.Colour');
  class Colour extends OpaqueValue {
    readonly type = colour;
    readonly name: string;
    constructor(name: string) {
      super();
      this.name = name;
    }
    equals(other: CelValue): boolean {
      return other instanceof Colour && other.name === this.name;
    }
  }
  const library: Library = {
    name: 'example',
    constants: { 'example.answer': { type: intType, value: 42 } },
    functions: [
      {
        name: 'example.colour',
        overloads: [
          {
            id: 'example_colour_string',
            isMember: false,
            parameters: [stringType],
            result: colour,
            evaluate(name) {
              if (name === '') throw new EvaluationError('a colour has a name');
              return new Colour(typeof name === 'string' ? name : '');
            },
            cost: () => 7,
          },
        ],
      },
      {
        name: 'firstOr',
        overloads: [
          {
            id: 'list_first_or',
            isMember: true,
            parameters: [listType(typeParameter('T')), typeParameter('T')],
            result: typeParameter('T'),
            evaluate: (list, other) => (Array.isArray(list) && list.length > 0 ? (list[0] as CelValue) : other),
          },
        ],
      },
    ],
    macros: [
      {
        name: 'cel.bind',
        isMember: false,
        argumentCount: 3,
        expand(_, [name, value, body], make) {
          if (name?.kind !== 'name') throw new MacroError(name?.at ?? 0, 'a binding has a simple name');
          return value && body && make.bind(name.name, value, body);
        },
      },
    ],
  };
  const environment = language.extend({ libraries: [library] });
  const run = (text: string): unknown => {
    const evaluation = compiled(environment.compile(text)).evaluate({});
    return evaluation.ok ? evaluation.value : evaluation.error.message;
  };
  t.equal(run('example.answer + 1'), 43);
  t.equal(run('example.colour("red") == example.colour("red")'), true);
  t.equal(run('example.colour("red") == example.colour("blue")'), false);
  t.equal(run('example.colour("") == example.colour("blue")'), 'a colour has a name');
  t.equal(run('[1, 2].firstOr(3) + [].firstOr(4)'), 5);
  t.equal(run('cel.bind(x, 20, x + x + 2)'), 42);
  t.equal(run('cel.bind(x, 1 / 0, true)'), true, 'a binding is computed when it is read');
  t.equal(compiled(environment.compile('example.colour("red")')).evaluate({}).cost, 7);
  t.equal(printType(compiled(environment.compile('["a"].firstOr("b")')).type), 'string');
  const refused = environment.compile('cel.bind(1, 2, 3)');
  t.match(refused, { ok: false, issues: [{ line: 1, column: 10, message: 'a binding has a simple name' }] });
  t.match(environment.compile('[1].firstOr("a")'), {
    ok: false,
    issues: [{ message: "found no matching overload for 'firstOr' applied to 'list(int).(string)'" }],
  });
});

t.test('fields of an object type are checked, renamed and converted', async (t) => {
  const spec: ObjectType = {
    kind: 'object',
    name: 'Object.spec',
    fieldNames: ['replicas', 'x__dash__y'],
    field: (name) => {
      if (name === 'replicas') return { type: intType };
      return name === 'x__dash__y'
        ? { type: stringType, property: 'x-y', read: (json) => `<${String(json)}>` }
        : undefined;
    },
  };
  const root: ObjectType = {
    kind: 'object',
    name: 'Object',
    fieldNames: ['spec'],
    field: (name) => (name === 'spec' ? { type: spec } : undefined),
  };
  const types: Readonly<Record<string, CelType>> = { Object: root, 'Object.spec': spec };
  const environment = language.extend({ variables: { self: root }, types: (name) => types[name] });
  const run = (text: string, self: CelValue): unknown => {
    const evaluation = compiled(environment.compile(text)).evaluate({ self });
    return evaluation.ok ? evaluation.value : evaluation.error.message;
  };
  t.equal(run('self.spec.x__dash__y', { spec: { 'x-y': 'a' } }), '<a>');
  t.equal(run('has(self.spec.x__dash__y)', { spec: { 'x-y': 'a' } }), true);
  t.equal(run('has(self.spec.x__dash__y)', { spec: { x__dash__y: 'a' } }), false);
  t.equal(run('self.spec.replicas', { spec: {} }), 'no such key: replicas');
  t.strictSame(run('Object{spec: Object.spec{replicas: 1, ?x__dash__y: optional.of("b")}}', {}), {
    spec: { replicas: 1, 'x-y': 'b' },
  });
  const message = (text: string): string => {
    const compilation = environment.compile(text);
    return compilation.ok ? '' : compilation.issues.map((issue) => issue.message).join('; ');
  };
  t.equal(message('self.status'), "undefined field 'status'");
  t.equal(message('self.spec.replicas == "a"'), "found no matching overload for '_==_' applied to '(int, string)'");
  t.equal(message('Object.spec{nothing: 1}'), "undefined field 'nothing'");
  t.equal(
    message('Object.spec{replicas: "a"}'),
    "expected type of field 'replicas' is 'int' but provided type is 'string'",
  );
});

t.test('lists, maps and objects of a host are read when they are used', async (t) => {
  class Squares extends ListValue {
    readonly length = 5;
    at(index: number): CelValue {
      return index * index;
    }
  }
  class Counting extends FieldsValue {
    readonly type = dynType;
    reads = 0;
    has(name: string): boolean {
      return name === 'a';
    }
    get(name: string): CelValue | undefined {
      this.reads++;
      if (name === 'broken') throw new EvaluationError('out of order');
      return name === 'a' ? 1 : undefined;
    }
    equals(other: CelValue): boolean {
      return other === this;
    }
  }
  const host = new Counting();
  const squares = new Squares();
  const map = new KeyedMap();
  map.set(1, 'one');
  map.set(true, 'yes');
  t.equal(valueOf('squares.all(x, x >= 0) && squares[3] == 9 && 16 in squares', { squares }), true);
  t.equal(valueOf('squares == [0, 1, 4, 9, 16]', { squares }), true);
  t.equal(valueOf('(squares + squares).size()', { squares }), 10);
  t.equal(valueOf('host.a == 1 && has(host.a) && !has(host.b)', { host }), true);
  t.equal(host.reads, 1);
  t.equal(valueOf('host.b', { host }), 'no such key: b');
  t.equal(valueOf('host.broken', { host }), 'out of order');
  t.equal(valueOf('host.broken == 1 || true', { host }), true, 'a failed field is absorbed as any failure');
  t.equal(valueOf('map[1u] + map[1.0] + map[true]', { map }), 'oneoneyes');
});

t.test('a variable that is a function is computed once, if it is read', async (t) => {
  let calls = 0;
  const costly = (): CelValue => {
    calls++;
    return 20;
  };
  t.equal(valueOf('true || costly > 1', { costly }), true);
  t.equal(calls, 0);
  t.equal(valueOf('costly + costly', { costly }), 40);
  t.equal(calls, 1);
  const broken = (): CelValue => {
    throw new EvaluationError('not available');
  };
  t.equal(valueOf('broken', { broken }), 'not available');
});

t.test('names are looked up in the container, from the inside out', async (t) => {
  const environment = language.extend({
    container: 'a.b',
    variables: { 'a.b.x': intType, 'a.x': stringType, y: boolType },
  });
  t.equal(printType(compiled(environment.compile('x')).type), 'int');
  t.equal(printType(compiled(environment.compile('.a.x')).type), 'string');
  t.equal(printType(compiled(environment.compile('y')).type), 'bool');
  t.same([...compiled(environment.compile('[x].all(y, y > x)')).references], ['a.b.x']);
  t.match(environment.compile('z'), { issues: [{ message: "undeclared reference to 'z' (in container 'a.b')" }] });
});

t.test('extending an environment leaves it as it was', async (t) => {
  const extended = language.extend({ variables: { x: intType } });
  t.equal(extended.compile('x').ok, true);
  t.equal(language.compile('x').ok, false);
});

t.test('keys of JSON objects are data, whatever they are named', async (t) => {
  const object = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "x": null}') as CelValue;
  t.equal(valueOf('object.__proto__.a + object.constructor', { object }), 3);
  t.equal(valueOf('has(object.toString)', { object }), false);
  t.equal(valueOf('object.hasOwnProperty', { object }), 'no such key: hasOwnProperty');
  t.equal(valueOf('"valueOf" in object', { object }), false);
  t.equal(valueOf('{"__proto__": 1}.__proto__', {}), 1);
  t.equal(valueOf('{"__proto__": 1, "a": 2}.size()', {}), 2);
  t.equal(valueOf('object.x == null', { object }), true);
});

t.test('an evaluation over its budget ends, and is no failure that could be absorbed', async (t) => {
  const list = Array.from({ length: 1000 }, (_, i) => i);
  const over = evaluate('list.all(x, list.all(y, x + y >= 0)) || true', { list }, 10_000);
  t.match(over, {
    ok: false,
    isOverBudget: true,
    error: { message: 'operation cancelled: actual cost limit exceeded' },
  });
  t.equal(evaluate('list.size() > 1', { list }, 3).ok, true);
  t.equal(evaluate('list.size() > 1', { list }, 2).ok, false);
});
