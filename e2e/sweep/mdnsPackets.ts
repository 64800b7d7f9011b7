/** The service type that panels announce (docs/intercom.md). */
export const SERVICE = '_faceplate-sip._udp.local';

const [PTR, TXT, SRV] = [12, 16, 33];
const LIFE_SECONDS = 120;

/** A name as labels (RFC 1035 section 3.1). */
function labels(name: string): Buffer {
  const parts = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...parts, Buffer.from([0])]);
}

function record(name: string, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  // Class IN.
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(LIFE_SECONDS, 4);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([labels(name), head, data]);
}

/** An mDNS answer (RFC 6762) that announces panels of these ids. */
export function announcement(ids: readonly string[]): Buffer {
  const head = Buffer.alloc(12);
  // An authoritative answer.
  head.writeUInt16BE(0x8400, 2);
  head.writeUInt16BE(ids.length, 6);
  head.writeUInt16BE(2 * ids.length, 10);
  const nameOf = (id: string): string => `panel-${id}.${SERVICE}`;
  const place = Buffer.concat([Buffer.from([0, 0, 0, 0, 0x13, 0xc4]), labels('panel.local')]);
  const strings = (id: string): Buffer =>
    Buffer.concat([`id=${id}-of-nobody`, 'name=Invented', 'v=1'].map((text) => labels(text).subarray(0, -1)));
  return Buffer.concat([
    head,
    ...ids.map((id) => record(SERVICE, PTR, labels(nameOf(id)))),
    ...ids.flatMap((id) => [record(nameOf(id), SRV, place), record(nameOf(id), TXT, strings(id))]),
  ]);
}
