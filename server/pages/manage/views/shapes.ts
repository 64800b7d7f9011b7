/** Answers of commands that a panel may lack, as the API names them. */

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
