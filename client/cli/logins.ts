import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { panelUrl } from '../index.ts';
import { UsageError } from './failures.ts';
import type { Terminal } from './terminal.ts';

/** A panel that one has logged in to. */
export interface Login {
  readonly name: string;
  readonly id: string;
  readonly address: string;
  readonly token: string;
}

/** The logins of this user: `$XDG_CONFIG_HOME/faceplate/panels.json`, readable by this user alone. */
export class Logins {
  readonly #folder: string;

  constructor(env: Terminal['env']) {
    const config = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
    this.#folder = join(config, 'faceplate');
  }

  /** @throws UsageError for a file that is not ours */
  async read(): Promise<readonly Login[]> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{"panels":[]}';
      throw new UsageError(`${this.#path} cannot be read: ${error.message}.`);
    });
    try {
      const { panels } = JSON.parse(text) as { panels: Login[] };
      for (const { name, id, address, token } of panels)
        if (![name, id, address, token].every((field) => typeof field === 'string'))
          throw new Error('fields');
      return panels;
    } catch {
      throw new UsageError(`${this.#path} is damaged: remove it and log in again.`);
    }
  }

  /** Keeps a login instead of the one before at the same address. */
  async keep(login: Login): Promise<void> {
    const others = (await this.read()).filter(({ address }) => address !== login.address);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // Whole or not at all, and never readable by others, not even for a moment.
    const scratch = `${this.#path}.${process.pid}`;
    await writeFile(scratch, `${JSON.stringify({ panels: [...others, login] }, null, 2)}\n`, { mode: 0o600 });
    await chmod(scratch, 0o600);
    await rename(scratch, this.#path);
  }

  get #path(): string {
    return join(this.#folder, 'panels.json');
  }
}

/** The login that a person means by a name or an address. @throws UsageError for a name that several panels have */
export function find(logins: readonly Login[], wanted: string): Login | undefined {
  const named = logins.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (named.length > 1)
    throw new UsageError(
      `Several panels are called ${wanted}: give the address, ${named.map(({ address }) => address).join(' or ')}.`,
    );
  return (
    named[0] ?? logins.find(({ address }) => URL.canParse(`http://${wanted}`) && address === originOf(wanted))
  );
}

function originOf(address: string): string | undefined {
  try {
    return panelUrl(address).origin;
  } catch {
    return undefined;
  }
}
