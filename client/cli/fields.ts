import type { Described } from './description.ts';
import { UsageError } from './failures.ts';

/**
 * `key=value` words as the params of a command. A value is JSON, or plain text; a point in a key goes one level
 * down, as in `kiosk.url=http://…`.
 * @param isOpen whether other fields than those described may stand there
 * @throws UsageError
 */
export function paramsOf(
  words: readonly string[],
  { name, fields }: Pick<Described, 'name' | 'fields'>,
  isOpen = false,
): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) throw new UsageError(`"${word}" is no key=value; see: faceplate call ${name} --help`);
    const path = word.slice(0, at).split('.');
    const field = fields.find((each) => each.name === path[0]);
    if (field === undefined && !isOpen)
      throw new UsageError(`${name} has no field "${path[0]}"; see: faceplate call ${name} --help`);
    const value = read(word.slice(at + 1), path.length === 1 && field?.type === 'text');
    put(params, path, value);
  }
  return params;
}

/** @param isText whether the contract wants text: `name=7` is then the name "7" */
function read(text: string, isText: boolean): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isText && typeof value !== 'string' ? text : value;
  } catch {
    return text;
  }
}

function put(tree: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    Object.defineProperty(tree, key, { value, enumerable: true, writable: true, configurable: true });
    return;
  }
  const branch = Object.hasOwn(tree, key) ? tree[key] : {};
  if (typeof branch !== 'object' || branch === null) throw new UsageError(`"${key}" stands there twice.`);
  put(tree, [key], branch);
  put(branch as Record<string, unknown>, rest, value);
}
