import { type Entry, getFileNameLowLevel } from 'yauzl';
import { FaceplateError } from '../../contract/errors.ts';

/** What the directory of a zip archive says of one entry, as far as it matters here. */
interface ListedEntry {
  readonly fileName: string;
  readonly externalFileAttributes: number;
  readonly compressionMethod: number;
  isEncrypted(): boolean;
}

export interface PlannedFile<E extends ListedEntry> {
  /** Path below the project's folder, with `/` between names; none of them is `.`, `..` or empty. */
  readonly path: string;
  readonly entry: E;
}

const MAX_PATH = 1024;
const MAX_NAME_BYTES = 255;
/** File types in the upper half of the attributes, as in stat(2). */
const TYPE_MASK = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;
const STORED = 0;
const DEFLATED = 8;

export function refused(sentence: string, cause?: unknown): FaceplateError {
  return new FaceplateError('INVALID_REQUEST', sentence, { cause });
}

/** Bit 11 of the flags: the name is UTF-8 (APPNOTE.TXT 4.4.4). */
const UTF8_NAME = 0x0800;
/**
 * The upper half of CP850, the code page of DOS in Europe; a letter of CP437 has the same byte there, but for the Greek
 * ones. What no name has (lines, blocks, most symbols) is a blank: such bytes are of another code page.
 */
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»     ÁÂÀ©    ¢¥       ãÃ        ðÐÊËÈıÍÎÏ    ¦Ì ÓßÔÒõÕµþÞÚÛÙýÝ   ± ¾ §  ° ·  ²  ';

/**
 * The name of an entry: from its Unicode extra field (0x7075, APPNOTE.TXT 4.6.9), as UTF-8, or in the code page of DOS,
 * with `/` between names. Programs that write UTF-8 without the flag are common, so the bytes decide.
 * @throws FaceplateError INVALID_REQUEST when it is in none of them
 */
export function entryName(
  entry: Pick<Entry, 'generalPurposeBitFlag' | 'fileNameRaw' | 'extraFields'>,
): string {
  const { generalPurposeBitFlag: flags, fileNameRaw: bytes, extraFields } = entry;
  const name = getFileNameLowLevel(flags | UTF8_NAME, bytes, extraFields, false);
  if (!name.includes('\uFFFD')) return name;
  const letters = Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : CP850[byte - 0x80]));
  const isOther = letters.some((letter, i) => letter === ' ' && bytes[i]! >= 0x80);
  if (isOther || (flags & UTF8_NAME) !== 0)
    throw refused(
      `The archive holds a name in an unknown code page: ${shownName(name)}. Pack it with names in UTF-8, or give the file a name of plain letters.`,
    );
  return letters.join('').replaceAll('\\', '/');
}

/** Whether a file was put there by the system on which the archive was packed, and is none of the author's. */
export function isJunk(path: string): boolean {
  return /^__MACOSX\/|(?:^|\/)(?:\._[^/]*|\.DS_Store|(?:eh)?thumbs\.db|desktop\.ini)$/i.test(path);
}

/**
 * Judges the entries of an archive before anything is written.
 * @returns its files; folders come to be by them
 * @throws FaceplateError INVALID_REQUEST for names that leave the folder, are absolute, stand there twice (also but for
 * case), name a file and a folder; for links, devices and encrypted entries; for too many files
 */
export class EntryPlan<E extends ListedEntry> {
  readonly files: PlannedFile<E>[] = [];
  readonly #maxFiles: number;
  /** By their name in lower case. */
  readonly #filePaths = new Map<string, string>();
  readonly #folderPaths = new Map<string, string>();

  constructor(maxFiles: number) {
    this.#maxFiles = maxFiles;
  }

  add(entry: E): void {
    const { path, isFolder } = pathOf(entry.fileName);
    checkKind(entry, isFolder);
    if (isFolder) {
      this.#addFolders(path);
      return;
    }
    this.#addFolders(path.split('/').slice(0, -1).join('/'));
    const same = this.#filePaths.get(keyOf(path)) ?? this.#folderPaths.get(keyOf(path));
    if (same !== undefined) throw clash(same, path);
    this.#filePaths.set(keyOf(path), path);
    this.files.push({ path, entry });
    if (this.files.length > this.#maxFiles)
      throw refused(`The archive holds more than ${this.#maxFiles} files.`);
  }

  #addFolders(path: string): void {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      const key = keyOf(folder);
      const same = this.#filePaths.get(key) ?? this.#folderPaths.get(key);
      if (same === folder && this.#folderPaths.has(key)) return;
      if (same !== undefined) throw clash(same, folder);
      this.#folderPaths.set(key, folder);
      if (this.#folderPaths.size > this.#maxFiles)
        throw refused(`The archive holds more than ${this.#maxFiles} folders.`);
    }
  }
}

/** Names as a system without upper and lower case sees them. */
function keyOf(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function pathOf(name: string): { path: string; isFolder: boolean } {
  const shown = shownName(name);
  // Some programs list the folder itself.
  if (/^(?:\/|\.\/)$/.test(name)) return { path: '', isFolder: true };
  if (/^(?:\/|\\|[A-Za-z]:)/.test(name))
    throw refused(
      `The archive holds an absolute name: ${shown}. Pack it from inside the project's folder, as in "zip -r ../panel.zip .".`,
    );
  const parts = name.split('/').filter((part) => part !== '.');
  const isFolder = parts.at(-1) === '';
  if (isFolder) parts.pop();
  if (parts.includes('..')) throw refused(`The archive holds a name that leaves its folder: ${shown}.`);
  const isOdd = /[\p{Cc}\\]/u.test(name) || parts.includes('') || (parts.length === 0 && !isFolder);
  const isLong = name.length > MAX_PATH || parts.some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES);
  if (isOdd || isLong) throw refused(`The archive holds a name that cannot be used: ${shown}. Rename it.`);
  return { path: parts.join('/'), isFolder };
}

function checkKind(entry: ListedEntry, isFolder: boolean): void {
  const shown = shownName(entry.fileName);
  const type = (entry.externalFileAttributes >>> 16) & TYPE_MASK;
  if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR))
    throw refused(`The archive holds a link or another special file: ${shown}.`);
  if (entry.isEncrypted()) throw refused(`The archive holds an encrypted file: ${shown}.`);
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    throw refused(`The archive is packed in a way that is not supported (only deflate is): ${shown}.`);
}

function clash(one: string, other: string): FaceplateError {
  return refused(
    one === other
      ? `The archive holds ${shownName(one)} twice, or as a file and as a folder.`
      : `The archive holds two names that differ only in case: ${shownName(one)} and ${shownName(other)}.`,
  );
}

/** A name of an archive, fit for a sentence. */
function shownName(name: string): string {
  const clean = name.replace(/\p{Cc}/gu, '?');
  return clean.length > 80 ? `${clean.slice(0, 80)}…` : clean;
}
