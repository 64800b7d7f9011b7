import type { CommandName } from './commands.ts';
import type { ErrorAnswer } from './errors.ts';

/**
 * Longest message of a page, in UTF-16 units (1 MiB). A longer one is refused with TOO_LARGE, in the page before it is
 * posted, and again by the host.
 */
export const PAGE_MESSAGE_LIMIT = 1024 * 1024;

/**
 * Messages between the page script (preload/pageBridge.ts) and server/surfaces/bridge, as JSON strings. Page to host:
 * calls carry an id, which comes first so that it can be read even when the message is too long to parse.
 */
export type PageMessage =
  | { id: number; method: string; args: readonly unknown[] }
  | { id: number; bridge: string; json: string }
  | { id: number; call: string; params: unknown }
  | { subscribe: string }
  | { unsubscribe: string }
  /** The document hears joins from now on; it has taken what came last. */
  | { joins: 'ready' | 'taken' }
  /** A value that the library of the page sends; `object` is JSON text. */
  | { join: JoinMessage[0]; name: unknown; value: unknown };

/** A value for the page, or (`note`) a sentence for its console. */
export type JoinMessage = readonly [
  kind: 'boolean' | 'integer' | 'string' | 'object' | 'note',
  name: string,
  value: unknown,
];

/** Host to page. */
export type HostMessage =
  | { id: number; result: unknown }
  | { id: number; error: ErrorAnswer }
  | { event: string; payload: unknown }
  | { joins: readonly JoinMessage[] };

/** A method in the page: the command it runs, and the names of its positional arguments. */
export interface PageMethod {
  command: CommandName;
  args: readonly string[];
  /** The promise resolves with this field of the answer, as JSON text. */
  jsonOf?: string;
}

/** What the page script needs to build `window.container`; made from the command list. */
export interface ContainerSpec {
  version: string;
  isOem: boolean;
  /** Methods by object (`container`, `container.sip`, `MobileBridge`) and name. */
  methods: Readonly<Record<'container' | 'sip' | 'MobileBridge', Readonly<Record<string, PageMethod>>>>;
  /** Message bridges of the container (`gpioBridge`, `streamBridge`). */
  bridges: readonly string[];
  /** Names that `container.on` takes, besides `snapshot`. */
  events: readonly string[];
  /** Names that `container.sip.on` takes; each comes as a `sip` event. */
  sipEvents: readonly string[];
  /** Further global names for the same object (`bridge.aliases`). */
  aliases: readonly string[];
  /** PAGE_MESSAGE_LIMIT, which the page checks itself. */
  messageLimit: number;
  /** Whether this document belongs to a project with joins, and gets `JSInterface`. */
  joins?: boolean;
}
