/** Answers of commands that a panel may lack, as the API names them. */

export interface PageState {
  readonly url: string;
  readonly title: string;
  readonly state: 'loading' | 'shown' | 'failed' | 'blank' | 'waiting';
  readonly since: string;
  /** Exceptions and failed own scripts since the load. */
  readonly errors: number;
}

export interface ConsoleEntry {
  readonly time: string;
  readonly level: 'debug' | 'log' | 'info' | 'warning' | 'error' | 'exception' | 'network' | 'security';
  readonly text: string;
  readonly url: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly stack: string | null;
}

/** A line of the log; whatever else it holds stands beside these. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly time: string;
  readonly level: string;
  readonly msg: string;
}

export interface TokenEntry {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly lastAddress: string | null;
}

export interface PairingCode {
  readonly code: string;
  readonly url: string;
  readonly expiresAt: string;
}

export interface Health {
  readonly uptime: number;
  readonly serviceUptime: number;
  readonly load: readonly number[];
  readonly temperature: number | null;
  readonly memory: {
    readonly total: number;
    readonly free: number;
    readonly service: number;
    readonly browser: number;
  };
  readonly disk: { readonly total: number; readonly free: number };
}

export interface JournalEntry {
  readonly time: string;
  readonly command: string;
  readonly surface: string;
  readonly caller: { readonly id: string; readonly name: string; readonly address: string | null };
  readonly params: unknown;
  readonly code: string;
  readonly ms: number;
}

export interface NetworkInterface {
  readonly name: string;
  readonly type: string;
  readonly state: string;
  readonly mac: string | null;
  readonly method: string | null;
  readonly addresses: readonly string[];
  readonly gateway: string | null;
  readonly dns: readonly string[];
  readonly wifi: { readonly ssid: string; readonly signal: number } | null;
}

export interface NetworkState {
  readonly hostname: string;
  readonly interfaces: readonly NetworkInterface[];
}

export interface WifiNetwork {
  readonly ssid: string;
  readonly signal: number;
  readonly security: string;
  readonly active: boolean;
}

export interface TimeState {
  readonly now: string;
  readonly timeZone: string;
  readonly ntp: boolean;
  readonly synchronized: boolean;
}
