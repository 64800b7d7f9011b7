import { malformedOnvif } from './failure.ts';

/** An element, without prefixes: two namespaces with one name in one place do not occur in what is read here. */
export interface XmlElement {
  readonly name: string;
  /** '' for none. */
  readonly namespace: string;
  /** By name without prefix. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Those of them that have one. */
  readonly prefixed: ReadonlySet<string>;
  readonly children: readonly XmlElement[];
  /** Its own text, trimmed. */
  readonly text: string;
}

/** Levels of elements. */
const MAX_DEPTH = 32;
/** Elements of one document, and attributes of one element. */
const MAX_ELEMENTS = 20_000;
const MAX_ATTRIBUTES = 64;
/** Longest name, in characters. */
const MAX_NAME = 256;

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const START = /<([^\s/>="'<&!?]+)/y;
const END = /<\/([^\s>]+)\s*>/y;
const ATTRIBUTE = /\s+([^\s=/>"'<]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const CLOSE = /\s*(\/?)>/y;

interface Open extends XmlElement {
  readonly fullName: string;
  /** Namespaces by the prefixes that it declares; undefined for none. */
  readonly declares: ReadonlyMap<string, string> | undefined;
  readonly attributes: Map<string, string>;
  readonly children: XmlElement[];
  text: string;
}

/**
 * Reads elements, attributes and text (XML 1.0, UTF-8). No DTD, no entities but the five predefined ones and numbers of
 * characters; instructions and comments are passed over. The work grows with the length of the text alone.
 * @returns the root
 * @throws FaceplateError CAMERA_PROTOCOL
 */
export function readXml(text: string): XmlElement {
  const open: Open[] = [];
  let root: Open | undefined;
  let elements = 0;
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length) {
    const next = text.indexOf('<', at);
    const between = text.slice(at, next < 0 ? text.length : next);
    const parent = open.at(-1);
    if (parent !== undefined) parent.text += unescaped(between);
    else if (between.trim() !== '') throw notXml();
    if (next < 0) break;
    at = next;
    const passed = passedOver(text, at);
    if (passed !== undefined) {
      if (passed.text !== '' && parent === undefined) throw notXml();
      if (parent !== undefined) parent.text += passed.text;
      at = passed.end;
      continue;
    }
    END.lastIndex = at;
    const end = END.exec(text);
    if (end !== null) {
      if (parent === undefined || end[1] !== parent.fullName) throw notXml();
      parent.text = parent.text.trim();
      open.pop();
      at = END.lastIndex;
      continue;
    }
    if (open.length >= MAX_DEPTH || ++elements > MAX_ELEMENTS) throw notXml('it is too deep or too large');
    const { element, end: behind, isEmpty } = startAt(text, at, open);
    if (parent !== undefined) parent.children.push(element);
    else if (root !== undefined) throw notXml();
    else root = element;
    if (!isEmpty) open.push(element);
    at = behind;
  }
  if (root === undefined || open.length > 0) throw notXml();
  return root;
}

/** A comment, an instruction, or text that is not to be read (CDATA) at a "<"; undefined for a tag. */
function passedOver(text: string, at: number): { readonly end: number; readonly text: string } | undefined {
  for (const [begin, end] of [
    ['<!--', '-->'],
    ['<?', '?>'],
    ['<![CDATA[', ']]>'],
  ] as const) {
    if (!text.startsWith(begin, at)) continue;
    const found = text.indexOf(end, at + begin.length);
    if (found < 0) throw notXml();
    const inside = begin === '<![CDATA[' ? text.slice(at + begin.length, found) : '';
    return { end: found + end.length, text: inside };
  }
  if (text.startsWith('<!', at)) throw notXml('it has a DTD');
  return undefined;
}

function startAt(text: string, at: number, open: readonly Open[]) {
  START.lastIndex = at;
  const fullName = START.exec(text)?.[1];
  if (fullName === undefined || fullName.length > MAX_NAME) throw notXml();
  const attributes = new Map<string, string>();
  const declares = new Map<string, string>();
  const prefixed = new Set<string>();
  let behind = START.lastIndex;
  for (;;) {
    ATTRIBUTE.lastIndex = behind;
    const found = ATTRIBUTE.exec(text);
    if (found === null) break;
    if (attributes.size + declares.size >= MAX_ATTRIBUTES || found[1]!.length > MAX_NAME) throw notXml();
    const name = local(found[1]!);
    const value = unescaped(found[2] ?? found[3] ?? '');
    if (/^xmlns(?::|$)/.test(found[1]!)) declares.set(found[1]!.slice(6), value);
    else if (!attributes.has(name)) {
      attributes.set(name, value);
      if (name !== found[1]) prefixed.add(name);
    }
    behind = ATTRIBUTE.lastIndex;
  }
  CLOSE.lastIndex = behind;
  const close = CLOSE.exec(text);
  if (close === null) throw notXml();
  const name = local(fullName);
  const prefix = fullName.slice(0, -name.length - 1);
  const space = declares.has(prefix)
    ? declares
    : open.findLast((outer) => outer.declares?.has(prefix))?.declares;
  const element: Open = {
    name,
    namespace: space?.get(prefix) ?? '',
    fullName,
    attributes,
    prefixed,
    declares: declares.size > 0 ? declares : undefined,
    children: [],
    text: '',
  };
  return { element, end: CLOSE.lastIndex, isEmpty: close[1] === '/' };
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

function unescaped(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&([^;&]{0,10});?/g, (all, name: string) => {
    const number = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name);
    const point = number === null ? undefined : Number.parseInt(number[1] ?? number[2]!, number[1] ? 16 : 10);
    const character =
      point !== undefined && point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
        ? String.fromCodePoint(point)
        : Object.hasOwn(ENTITIES, name)
          ? ENTITIES[name]
          : undefined;
    if (character === undefined || !all.endsWith(';')) throw notXml('it has unknown entities');
    return character;
  });
}

const notXml = (why = 'it is not XML') => malformedOnvif(why);

/** The first element of this way of names below another one; undefined if there is none. */
export function childAt(
  element: XmlElement | undefined,
  ...names: readonly string[]
): XmlElement | undefined {
  return names.reduce<XmlElement | undefined>(
    (found, name) => found?.children.find((child) => child.name === name),
    element,
  );
}

/** The text at a way of names; '' if there is none. */
export function textAt(element: XmlElement | undefined, ...names: readonly string[]): string {
  return childAt(element, ...names)?.text ?? '';
}

/** All children of a name. */
export function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The first element of a name anywhere in it, itself included. */
export function findIn(element: XmlElement | undefined, name: string): XmlElement | undefined {
  if (element === undefined || element.name === name) return element;
  for (const child of element.children) {
    const found = findIn(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * An element and what is in it as text, in its namespaces, to be sent back to who wrote it. Attributes with a prefix are
 * left out.
 * @param more text of attributes of the outermost element
 */
export function writeXml(element: XmlElement, more = ''): string {
  const { name, namespace, attributes, prefixed, children, text } = element;
  const fields = [...attributes]
    .filter(([key]) => !prefixed.has(key))
    .map(([key, value]) => ` ${key}="${escaped(value)}"`)
    .join('');
  const inside = `${escaped(text)}${children.map((child) => writeXml(child)).join('')}`;
  return `<${name} xmlns="${escaped(namespace)}"${fields}${more}>${inside}</${name}>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold them.
const NO_XML = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** A text as it may be between tags or in quotes; what XML cannot hold is left out. */
export function escaped(text: string): string {
  return text.replaceAll(NO_XML, '').replaceAll(/[<>&"]/g, (it) => ESCAPES[it]!);
}
