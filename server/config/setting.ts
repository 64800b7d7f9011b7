import { z } from 'zod';
import type { SettingKind } from './contract.ts';

/** Where a secret is sent. */
export interface SecretPlace {
  /** Host and port, as the setting names them. */
  readonly server: string;
  readonly isEncrypted: boolean;
}

/** What others than the owner do not read of a setting that is no secret. */
export type HiddenPart =
  /** Queries and fragments of the addresses in it. */
  | 'queries'
  /** Every text in it: each is a query. */
  | 'texts'
  /** All of it: to others it is as a secret. */
  | 'all';

/** The declaration of one setting. */
interface Setting<T> {
  readonly schema: z.ZodType<T>;
  readonly kind: SettingKind;
  readonly default: NoInfer<T>;
  readonly description: string;
  readonly unit?: string;
  readonly secret?: true;
  /** Of a secret: the settings that say where it is sent, and the place they name; null: nowhere. */
  readonly place?: {
    readonly settings: readonly string[];
    of(...values: readonly unknown[]): SecretPlace | null;
  };
  /** What only the owner reads, and what no backup without a passphrase holds. */
  readonly hides?: HiddenPart;
  /** Whether only the owner may change it: who holds `manage` could otherwise give themselves more. */
  readonly owner?: true;
  /** Whether it lets code or a person in: as `owner`, and not to be given on by a roll-out or somebody's backup. */
  readonly opens?: true;
  /** Whether a change over the API takes effect at once, not only at the next start. */
  readonly live?: true;
}

/** Declares a setting; its type is that of its schema. */
export function setting<T>(declaration: Setting<T>): Setting<T> {
  return declaration;
}

const PORTS: Readonly<Record<string, number>> = {
  http: 80,
  https: 443,
  ws: 80,
  wss: 443,
  mqtt: 1883,
  mqtts: 8883,
};

/** The place of a secret that is sent to the server of an address. @param key the setting that has the address */
export function serverOf(key: string) {
  const of = (address: unknown): SecretPlace | null => {
    if (typeof address !== 'string' || !URL.canParse(address)) return null;
    const { protocol, hostname, port } = new URL(address);
    const scheme = protocol.slice(0, -1);
    const server = `${hostname.toLowerCase()}:${port || PORTS[scheme]}`;
    return { server, isEncrypted: /^(?:https|wss|mqtts)$/.test(scheme) };
  };
  return { settings: [key], of };
}

/** A UDP or TCP port; 0 if any free one will do. */
export const port = z.int().min(0).max(65_535);
