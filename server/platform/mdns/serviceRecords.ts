/** A record of a DNS packet, as the mDNS library encodes and decodes it. */
export interface MdnsRecord {
  readonly name: string;
  readonly type: string;
  readonly ttl?: number;
  readonly data?: unknown;
  /** The cache-flush bit (RFC 6762 section 10.2). */
  readonly flush?: boolean;
}

export interface MdnsResponse {
  readonly answers: readonly MdnsRecord[];
  readonly additionals: readonly MdnsRecord[];
}

/** A service that a single packet announces in full. */
export interface AnnouncedService {
  /** Its name within the service type, in lower case. */
  readonly instance: string;
  /** The name alone, as it was written. */
  readonly label: string;
  readonly port: number;
  /** From its TXT record; a missing value is empty. */
  readonly text: ReadonlyMap<string, string>;
}

/** Most strings of a TXT record that are read. */
const MAX_STRINGS = 16;

/**
 * Reads the services of one type from a packet. Each record is read once, however many services are known.
 * @param suffix `._type._udp.local`
 * @param mayRead asked for each record of the type; on false the rest of the packet is skipped
 */
export function readServices(
  packet: MdnsResponse,
  suffix: string,
  mayRead: () => boolean,
): { readonly services: readonly AnnouncedService[]; readonly goodbyes: readonly string[] } {
  const parts = new Map<string, Parts>();
  const goodbyes: string[] = [];
  const partsOf = (name: string): Parts => {
    const instance = name.toLowerCase();
    const known = parts.get(instance) ?? { label: name.slice(0, -suffix.length) };
    parts.set(instance, known);
    return known;
  };
  for (const records of [packet.answers, packet.additionals]) {
    for (const { name, type, ttl = 0, data } of records) {
      const instance = (type === 'PTR' ? String(data) : name).toLowerCase();
      if (!['PTR', 'SRV', 'TXT'].includes(type) || !instance.endsWith(suffix)) continue;
      if (!mayRead()) return { services: complete(parts), goodbyes };
      // RFC 6762 section 10.1: a pointer with TTL 0 is a goodbye.
      if (type === 'PTR' && ttl === 0) goodbyes.push(instance);
      if (ttl === 0) continue;
      if (type === 'SRV') partsOf(name).port = (data as { port?: number } | undefined)?.port ?? 0;
      if (type === 'TXT') partsOf(name).text = readText(data);
    }
  }
  return { services: complete(parts), goodbyes };
}

interface Parts {
  readonly label: string;
  port?: number;
  text?: ReadonlyMap<string, string>;
}

function complete(parts: ReadonlyMap<string, Parts>): AnnouncedService[] {
  return [...parts].flatMap(([instance, { label, port, text }]) =>
    port === undefined || text === undefined ? [] : [{ instance, label, port, text }],
  );
}

/** RFC 6763 section 6.3: `key=value`, the key in any case, the first one of a name counts. */
function readText(data: unknown): ReadonlyMap<string, string> {
  const text = new Map<string, string>();
  const strings: readonly unknown[] = Array.isArray(data) ? data : [data];
  for (const bytes of strings.slice(0, MAX_STRINGS)) {
    if (!Buffer.isBuffer(bytes)) continue;
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(bytes.toString('utf8')) ?? [];
    if (key !== '' && !text.has(key.toLowerCase())) text.set(key.toLowerCase(), value);
  }
  return text;
}
