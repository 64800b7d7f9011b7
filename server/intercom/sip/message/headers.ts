import { clean, splitOutside } from './syntax.ts';

/** RFC 3261 section 7.3.3 and the extensions that define a compact form. */
const COMPACT: ReadonlyMap<string, string> = new Map([
  ['a', 'accept-contact'],
  ['b', 'referred-by'],
  ['c', 'content-type'],
  ['d', 'request-disposition'],
  ['e', 'content-encoding'],
  ['f', 'from'],
  ['i', 'call-id'],
  ['j', 'reject-contact'],
  ['k', 'supported'],
  ['l', 'content-length'],
  ['m', 'contact'],
  ['o', 'event'],
  ['r', 'refer-to'],
  ['s', 'subject'],
  ['t', 'to'],
  ['u', 'allow-events'],
  ['v', 'via'],
  ['x', 'session-expires'],
]);

/** Names that are not simply capitalised words. */
const WRITTEN: ReadonlyMap<string, string> = new Map([
  ['call-id', 'Call-ID'],
  ['cseq', 'CSeq'],
  ['min-se', 'Min-SE'],
  ['rack', 'RAck'],
  ['rseq', 'RSeq'],
  ['www-authenticate', 'WWW-Authenticate'],
]);

/** The header fields of a message in their order, by lower-case long name (RFC 3261 section 7.3). */
export class Headers {
  #fields: { readonly name: string; readonly value: string }[] = [];

  static of(fields: readonly (readonly [name: string, value: string])[]): Headers {
    const headers = new Headers();
    for (const [name, value] of fields) headers.add(name, value);
    return headers;
  }

  /** The first field of this name. */
  get(name: string): string | undefined {
    return this.#fields.find((field) => field.name === name)?.value;
  }

  /** Every field of this name, unchanged. */
  all(name: string): string[] {
    return this.#fields.filter((field) => field.name === name).map((field) => field.value);
  }

  /** All values of a list field; several fields and one field with commas are equal (section 7.3.1). */
  list(name: string): string[] {
    return this.all(name).flatMap((value) => splitOutside(value, ',') ?? [value]);
  }

  /** Values of a list of tokens such as Supported or Require, in lower case. */
  tokens(name: string): string[] {
    return this.list(name)
      .map((value) => value.toLowerCase())
      .filter((value) => value !== '');
  }

  add(name: string, value: string): void {
    this.#fields.push({ name: longName(name), value });
  }

  addFirst(name: string, value: string): void {
    this.#fields.unshift({ name: longName(name), value });
  }

  /** Replaces all fields of this name with one. */
  set(name: string, value: string): void {
    const at = this.#fields.findIndex((field) => field.name === name);
    this.delete(name);
    this.#fields.splice(at < 0 ? this.#fields.length : at, 0, { name, value });
  }

  /** Replaces the first field of this name, the top one of a list such as Via. */
  setFirst(name: string, value: string): void {
    const at = this.#fields.findIndex((field) => field.name === name);
    if (at >= 0) this.#fields[at] = { name, value };
  }

  delete(name: string): void {
    this.#fields = this.#fields.filter((field) => field.name !== name);
  }

  copy(): Headers {
    const copy = new Headers();
    copy.#fields = [...this.#fields];
    return copy;
  }

  /** As sent on the wire; nothing in a value can end its line. */
  toString(): string {
    return this.#fields.map(({ name, value }) => `${writtenName(clean(name))}: ${clean(value)}\r\n`).join('');
  }
}

function longName(name: string): string {
  const lower = name.toLowerCase();
  return COMPACT.get(lower) ?? lower;
}

function writtenName(name: string): string {
  return WRITTEN.get(name) ?? name.replaceAll(/(^|-)([a-z])/g, (letters) => letters.toUpperCase());
}
