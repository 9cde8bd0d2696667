// The part of ajv that lib/core/schema/schema-validator.ts uses, so that the code is checked without ajv's own
// declarations, which pull in those of its code generator.
declare module 'ajv' {
  /** One violation of a schema. */
  export interface ErrorObject {
    readonly keyword: string;
    /** A JSON pointer to the value. */
    readonly instancePath: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly message?: string;
    /** The value, with the option `verbose`. */
    readonly data?: unknown;
  }

  /** A compiled schema. */
  export interface ValidateFunction {
    (value: unknown): boolean;
    readonly errors?: readonly ErrorObject[] | null;
  }

  /** A validator. */
  export class Ajv {
    constructor(options: {
      readonly allErrors: boolean;
      readonly strict: boolean;
      readonly validateFormats: boolean;
      readonly verbose: boolean;
    });
    validateSchema(schema: object): unknown;
    errorsText(): string;
    compile(schema: object): ValidateFunction;
  }
}
