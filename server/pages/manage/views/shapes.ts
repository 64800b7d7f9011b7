/** Answers of commands that a panel may lack, as the API names them. */

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
