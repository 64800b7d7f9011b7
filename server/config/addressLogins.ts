/** What `kiosk.logins` holds at most. */
const MAX_LOGINS = 32;

interface Login {
  readonly username: string;
  readonly password: string;
}

/**
 * The values of a settings file of before addresses lost their logins: each login moves to `kiosk.logins`, that of
 * `update.channel` to `update.login`. A login that is there already for the same server stays.
 */
export function withoutAddressLogins(values: Map<string, unknown>): Map<string, unknown> {
  const after = new Map(values);
  const found = new Map<string, Login>();
  const take = (value: unknown): unknown => {
    const [address, login] = split(value);
    if (login === undefined) return value;
    const { origin } = new URL(address);
    if (!found.has(origin)) found.set(origin, login);
    return address;
  };
  for (const key of ['kiosk.url', 'idle.saver', 'idle.photos']) {
    const value = values.get(key);
    if (value !== undefined) after.set(key, Array.isArray(value) ? value.map(take) : take(value));
  }
  const [channel, login] = split(values.get('update.channel'));
  if (login !== undefined) {
    after.set('update.channel', channel);
    if (login.username !== '' && !values.has('update.login')) after.set('update.login', login);
  }
  const logins = values.get('kiosk.logins') ?? [];
  if (found.size > 0 && Array.isArray(logins)) {
    const known = new Set(logins.map((one: { origin?: unknown } | null) => one?.origin));
    const added = [...found].filter(([origin]) => !known.has(origin));
    const all = [...logins, ...added.map(([origin, one]) => ({ origin, ...one }))];
    if (added.length > 0) after.set('kiosk.logins', all.slice(0, Math.max(MAX_LOGINS, logins.length)));
  }
  return after;
}

/** An address without its login, and the login. */
function split(value: unknown): [string, Login | undefined] {
  if (typeof value !== 'string' || !/^https?:/.test(value) || !URL.canParse(value)) return ['', undefined];
  const url = new URL(value);
  const login = { username: plain(url.username), password: plain(url.password) };
  if (login.username === '' && login.password === '') return ['', undefined];
  url.username = '';
  url.password = '';
  return [url.href, login];
}

/** A part of a login as it was meant, at most as long as a setting takes it. */
function plain(text: string): string {
  try {
    return decodeURIComponent(text).slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}
