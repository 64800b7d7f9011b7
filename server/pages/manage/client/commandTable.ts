/** A command as the app has to know it to call it; the table is made from the contract when the app is built. */
export interface CommandRow {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PATCH';
  readonly path: string;
  /** What a token must open; null for everyone. */
  readonly scope: string | null;
  readonly query?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly upload?: { readonly field: string; readonly type: string };
  readonly answer?: readonly string[];
  /** Whether pages may call it, by `container.call`. */
  readonly page?: true;
}

declare const COMMANDS: Readonly<Record<string, CommandRow>>;

/** How a command is called; undefined where this version of the panel has none of that name. */
export function rowOf(command: string): CommandRow | undefined {
  return Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
}
