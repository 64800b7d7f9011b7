import { type Access, type Identity, opens, type PageSetting } from '../contract/access.ts';
import type { Command } from '../contract/command.ts';
import { commandList } from '../contract/commands.ts';
import { FaceplateError } from '../contract/errors.ts';

/** Who asks, as far as access depends on it. */
export interface Asker {
  readonly surface: 'http' | 'page' | 'panel' | 'mqtt' | 'replay';
  readonly identity: Identity;
  /** Of the glass: whether the PIN was entered. */
  readonly unlocked?: boolean;
  /** Of a surface that asks before it reads the params of strangers. */
  readonly admission?: Admission | undefined;
}

/** That a caller may make one call; `admit` alone gives it, so that the surface need not be believed. */
class Admission {
  readonly #command: Command;
  readonly #asker: Asker;

  constructor(command: Command, asker: Asker) {
    this.#command = command;
    this.#asker = asker;
  }

  covers(command: Command, { surface, identity }: Asker): boolean {
    return command === this.#command && surface === this.#asker.surface && identity === this.#asker.identity;
  }
}

export type { Admission };

/**
 * Asks before the params are read whether a caller from outside may make a call: those of a stranger are not even
 * parsed. Dispatch does not ask again.
 * @throws FaceplateError as `authorize`
 */
export function admit(command: Command, asker: Asker & { readonly surface: 'http' | 'mqtt' }): Admission {
  authorize(command, asker, () => false);
  return new Admission(command, asker);
}

const names = new Map<Command, string>(commandList.map(([name, command]) => [command, name]));

/**
 * Checks that the caller's token opens the command.
 * @param command none where something else is asked for, such as the stream of events
 * @throws FaceplateError FORBIDDEN; the sentence names the scope
 */
export function requireScope(access: Access, identity: Identity, command?: Command): void {
  if (opens(access, identity, command && names.get(command))) return;
  const { scope } = access;
  if (scope === undefined) throw closed();
  if (identity.commands !== undefined)
    throw new FaceplateError('FORBIDDEN', 'This token opens single commands, and this is none of them.');
  if (scope === 'owner') throw new FaceplateError('FORBIDDEN', "Only the owner's token may do this.");
  throw new FaceplateError('FORBIDDEN', `This call needs a token with the scope "${scope}".`);
}

/**
 * The one place that says who may call a command: its `access` decides, and every surface that it does not name is
 * closed. Whose token it is the surface has found out before.
 * @param pageMay whether pages may do what a setting guards
 * @throws FaceplateError NOT_FOUND when the surface does not offer the command, FORBIDDEN when the caller may not use
 * it
 */
export function authorize(command: Command, asker: Asker, pageMay: (setting: PageSetting) => boolean): void {
  const { access, http, page } = command;
  switch (asker.surface) {
    case 'http':
      if (http === undefined) throw new FaceplateError('NOT_FOUND');
      if (access.http === undefined) throw closed();
      requireScope(access, asker.identity, command);
      break;
    case 'page':
      if (access.page === undefined) throw page === undefined ? new FaceplateError('NOT_FOUND') : closed();
      if (access.page !== 'allowed' && !pageMay(access.page))
        throw new FaceplateError('FORBIDDEN', `Pages may not do this: ${access.page} is off.`);
      break;
    case 'mqtt':
      if (access.mqtt === undefined) throw new FaceplateError('NOT_FOUND');
      requireScope(access, asker.identity, command);
      break;
    case 'replay':
      if (access.replay === undefined) throw closed();
      break;
    case 'panel':
      if (access.glass === undefined && access.http === undefined) throw new FaceplateError('NOT_FOUND');
      if (access.glass !== 'locked' && !asker.unlocked)
        throw new FaceplateError('FORBIDDEN', 'The page is locked: enter the PIN first.');
  }
}

function closed(): FaceplateError {
  return new FaceplateError('FORBIDDEN', 'Nobody may call this from outside.');
}
