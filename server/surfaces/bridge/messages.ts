import { isMedia } from '../../contract/command.ts';
import type { CommandName } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { PAGE_MESSAGE_LIMIT } from '../../contract/pageBridge.ts';
import type { PageSurfaces } from './pageSurfaces.ts';

/** A message of a page, with a checked shape. A call that cannot be a command carries the error for its answer. */
type PageRequest =
  | { readonly kind: 'call'; readonly id: number; readonly command: CommandName; readonly params: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly error: FaceplateError }
  | { readonly kind: 'subscribe' | 'unsubscribe'; readonly event: string }
  | { readonly kind: 'joins'; readonly isFirst: boolean }
  | { readonly kind: 'join'; readonly join: readonly [kind: string, name: unknown, value: unknown] }
  | { readonly kind: 'ignored'; readonly why: string };

type Fields = Readonly<Record<string, unknown>>;

/** Reads one message of a page. Never throws: whatever a page sends becomes one of the kinds. */
export function readPageMessage(json: string, surfaces: PageSurfaces): PageRequest {
  if (json.length > PAGE_MESSAGE_LIMIT) return refuseTooLong(json);
  const message = parseObject(json);
  if (message === undefined) return { kind: 'ignored', why: 'not a JSON object' };
  if (typeof message.subscribe === 'string') return { kind: 'subscribe', event: message.subscribe };
  if (typeof message.unsubscribe === 'string') return { kind: 'unsubscribe', event: message.unsubscribe };
  if (message.joins === 'ready' || message.joins === 'taken')
    return { kind: 'joins', isFirst: message.joins === 'ready' };
  if (typeof message.join === 'string')
    return { kind: 'join', join: [message.join, message.name, message.value] };
  const id = message.id;
  if (!Number.isSafeInteger(id)) return { kind: 'ignored', why: 'neither a call nor a subscription' };
  try {
    return { kind: 'call', id: id as number, ...readCall(message, surfaces) };
  } catch (error) {
    if (error instanceof FaceplateError) return { kind: 'refused', id: id as number, error };
    throw error;
  }
}

/** In every call of the page script the id comes first, so the answer finds its promise without parsing the rest. */
function refuseTooLong(json: string): PageRequest {
  const id = /^\{"id":(\d{1,15}),/.exec(json.slice(0, 32))?.[1];
  if (id === undefined) return { kind: 'ignored', why: 'longer than 1 MiB' };
  const error = new FaceplateError('TOO_LARGE', 'The message is longer than 1 MiB.');
  return { kind: 'refused', id: Number(id), error };
}

function readCall(message: Fields, surfaces: PageSurfaces): { command: CommandName; params: unknown } {
  if (typeof message.method === 'string') return readMethod(message.method, message.args, surfaces);
  if (typeof message.call === 'string') return readCommand(message.call, message.params, surfaces);
  if (typeof message.bridge === 'string') return readAction(message.bridge, message.json, surfaces);
  throw invalid('The call names neither a method, nor a message bridge, nor a command.');
}

function readMethod(name: string, args: unknown, surfaces: PageSurfaces) {
  const method = surfaces.methods.get(name);
  if (method === undefined) throw invalid('There is no such method.');
  if (!Array.isArray(args) || args.length > method.args.length)
    throw invalid(`The method takes these arguments: ${method.args.join(', ')}.`);
  const params: Record<string, unknown> = {};
  args.forEach((value: unknown, index) => {
    params[method.args[index]!] = value;
  });
  return { command: method.command, params };
}

/** @throws FaceplateError NOT_FOUND for a command that pages do not have, as for one that there is not */
function readCommand(name: string, params: unknown, surfaces: PageSurfaces) {
  const command = surfaces.commands.get(name);
  if (command === undefined) throw new FaceplateError('NOT_FOUND', 'There is no such command in the page.');
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw invalid('The params must be an object.', 'params');
  return { command, params };
}

function readAction(bridge: string, json: unknown, surfaces: PageSurfaces) {
  const actions = surfaces.bridges.get(bridge);
  if (actions === undefined) throw invalid('There is no such message bridge.');
  const message = typeof json === 'string' ? parseObject(json) : undefined;
  if (message === undefined)
    throw invalid('The message must be the JSON text of an object with an "action".');
  const { action: name, ...given } = message;
  const action = typeof name === 'string' ? actions.get(name) : undefined;
  if (action === undefined)
    throw invalid(`There is no such action. Known: ${[...actions.keys()].join(', ')}.`, 'action');
  for (const field of Object.keys(action.fixed))
    if (field in given) throw invalid(`The action "${name}" does not take this field.`, field);
  return { command: action.command, params: { ...given, ...action.fixed } };
}

function parseObject(json: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

function invalid(sentence: string, field?: string): FaceplateError {
  return new FaceplateError('INVALID_REQUEST', sentence, field === undefined ? {} : { field });
}

/** A result as messages can hold it: a picture is text there, `{type, base64, takenAt}`. */
export function textOf(result: unknown): unknown {
  if (!isMedia(result) || !(result.body instanceof Uint8Array)) return result;
  const { type, body, takenAt } = result;
  const { buffer, byteOffset, byteLength } = body;
  return { type, base64: Buffer.from(buffer, byteOffset, byteLength).toString('base64'), takenAt };
}
