import { z } from 'zod';
import { coresOf, schemasAt } from '../../contract/mistakes.ts';
import type { JoinKind } from './contract.ts';

/** The value of a join, as it is or scaled. */
interface Expression {
  readonly isScaled: boolean;
  scale(value: number): number;
}

const NUMBER = '\\d{1,15}(?:\\.\\d{1,15})?';
const EXPRESSION = new RegExp(`^\\$value(?:([*/])(-?${NUMBER}))?(?:([+-])(${NUMBER}))?$`);

/** Whether a text of `with` means the value of the join, or tries to. */
export function isExpression(value: unknown): value is string {
  return typeof value === 'string' && value.includes('$value');
}

/** Reads `$value`, `$value*n`, `$value/n`, each with `+n` or `-n` behind. @returns undefined for any other text */
export function readExpression(text: string): Expression | undefined {
  const found = EXPRESSION.exec(text);
  if (found === null) return undefined;
  const [, operator, by, sign, plus] = found;
  if (operator === '/' && Number(by) === 0) return undefined;
  const offset = plus === undefined ? 0 : Number(`${sign}${plus}`);
  return {
    isScaled: operator !== undefined || sign !== undefined,
    // Divided as it is written: the product with 1/n would be another number.
    scale: (value) =>
      (operator === '/' ? value / Number(by) : operator === '*' ? value * Number(by) : value) + offset,
  };
}

/** What a field of a command takes. */
export interface Taken {
  readonly boolean: boolean;
  readonly number: boolean;
  readonly string: boolean;
  /** Of numbers only whole ones. */
  readonly isWhole: boolean;
  /** A value that fits, where the schema says one. */
  readonly sample: unknown;
}

interface Described {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
}

/** What the field at a path takes. @returns undefined where the command has no such field */
export function takenAt(params: z.ZodType, path: readonly string[]): Taken | undefined {
  const schemas = schemasAt(params, path);
  if (schemas.length === 0) return undefined;
  const all = schemas
    .flatMap(coresOf)
    .map((core) => z.toJSONSchema(core, { io: 'input', unrepresentable: 'any' }) as Described);
  const values = all.flatMap((one) => ('const' in one ? [one.const] : (one.enum ?? [])));
  const free = all.filter((one) => !('const' in one) && one.enum === undefined);
  const takes = (...types: readonly string[]) =>
    free.some(({ type }) => type === undefined || types.includes(type)) ||
    values.some((value) => types.includes(typeof value));
  return {
    boolean: takes('boolean'),
    number: takes('number', 'integer'),
    string: takes('string'),
    isWhole: !free.some(({ type }) => type === undefined || type === 'number'),
    sample: values[0] ?? free.map(sampleOf).find((sample) => sample !== undefined),
  };
}

function sampleOf({ type, minimum, maximum, minLength }: Described): unknown {
  if (type === 'boolean') return true;
  if (type === 'string') return 'a'.repeat(Math.min(minLength ?? 1, 1_000));
  if (type !== 'number' && type !== 'integer') return undefined;
  return Math.max(minimum ?? Number.NEGATIVE_INFINITY, Math.min(1, maximum ?? 1));
}

/** Why an expression does not fit the field, as words behind its name; undefined: it does. */
export function misfit(text: string, kind: JoinKind, taken: Taken): string | undefined {
  const read = readExpression(text);
  if (read === undefined)
    return 'must be "$value", "$value*n" or "$value/n", also with "+n" or "-n" behind; there are no other expressions';
  if (kind === 'string')
    return read.isScaled ? 'cannot be scaled: the join is a text' : needs(taken.string, 'no text');
  if (read.isScaled) return needs(taken.number, 'no number');
  return needs(taken.boolean || taken.number || taken.string, `no ${kind}`);
}

function needs(isTaken: boolean, words: string): string | undefined {
  return isTaken ? undefined : `takes ${words}`;
}

/** The value that a call gets for an expression. */
export function evaluated(text: string, taken: Taken, value: boolean | number | string): unknown {
  const { isScaled, scale } = readExpression(text)!;
  if (typeof value === 'string') return value;
  if (!isScaled && typeof value === 'boolean' && taken.boolean) return value;
  const scaled = scale(Number(value));
  if (taken.number) return taken.isWhole ? Math.round(scaled) : scaled;
  return taken.boolean ? scaled !== 0 : String(value);
}
