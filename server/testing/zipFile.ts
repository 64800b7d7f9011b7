import { createHash } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';

/** One entry of a zip file; missing fields get their true values, given ones may be false. */
export interface ZipEntry {
  /** As bytes: without the flag that says UTF-8. */
  readonly name: string | Uint8Array;
  /** Bytes of the extra field in the directory. */
  readonly extra?: Uint8Array;
  readonly content?: string | Uint8Array;
  /** Unix mode with file type, such as 0o120777 for a link. */
  readonly mode?: number;
  /** Bit 0: encrypted. */
  readonly flags?: number;
  readonly method?: number;
  readonly crc?: number;
  /** Unpacked size that the headers claim. */
  readonly claimedSize?: number;
}

const UTF8_NAMES = 0x0800;
const DEFLATED = 8;

/** A zip file (APPNOTE.TXT sections 4.3.7, 4.3.12, 4.3.16) of these entries. */
export function zipFile(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', mode = 0, flags = 0, method = DEFLATED, extra, ...lies } of entries) {
    const bytes = Buffer.from(content as string);
    const packed = method === DEFLATED ? deflateRawSync(bytes) : bytes;
    const nameBytes = Buffer.from(name as string);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags | (typeof name === 'string' ? UTF8_NAMES : 0), 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(lies.crc ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(lies.claimedSize ?? bytes.length, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    const madeByUnix = Buffer.from([20, 3]);
    const listed = Buffer.from(common);
    listed.writeUInt16LE(extra?.length ?? 0, 24);
    directory.push(Buffer.from('PK\x01\x02'), madeByUnix, listed, tail, nameBytes, Buffer.from(extra ?? []));
    const local = [Buffer.from('PK\x03\x04'), common, nameBytes, packed];
    parts.push(...local);
    offset += local.reduce((sum, part) => sum + part.length, 0);
  }
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directoryBytes.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directoryBytes, end]);
}

/** A `.ch5z` around a project's zip; `digest` may be wrong. */
export function ch5zFile(project: Uint8Array, digest?: string): Buffer {
  const sha256 = digest ?? createHash('sha256').update(project).digest('hex');
  const manifest = {
    projectname: 'panel',
    modifiedtime: '2026-01-01T00:00:00Z',
    'sha-256': sha256,
    extra: 1,
  };
  return zipFile([
    { name: 'panel.ch5', content: project },
    { name: 'panel_manifest.json', content: JSON.stringify(manifest) },
  ]);
}
