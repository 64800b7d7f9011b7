import { z } from 'zod';

/** What a token may open. Scopes do not imply each other. */
export const scopes = ['view', 'control', 'manage', 'terminal', 'doors'] as const;

export const scopeField = z
  .enum(scopes)
  .describe(
    'view: read; control: hardware, page, messages; manage: settings, projects, reboot; terminal: commands and scripts; doors: door openers',
  );
export type Scope = z.infer<typeof scopeField>;

/**
 * Who may call over HTTP: callers with a token; on this machine also callers without one; or everyone. `picture` is for what
 * an `<img>` shows: without a token programs of this machine and pages that the panel itself serves, never those of other
 * sites; a token may come as the password of Basic.
 */
export type HttpAccess = 'token' | 'loopback' | 'picture' | 'open';

/** A setting that has to be on before a page may do what it guards. */
export type PageSetting = 'bridge.allowInstall';

/**
 * Who may call a command, for each surface. A surface that is not named cannot reach the command, even if the command
 * has a path or a method there: without a declaration it is closed.
 */
export interface Access {
  /** What the token of the caller must open; `owner`: the owner's token alone. Without it no token opens the command. */
  readonly scope?: Scope | 'owner';
  readonly http?: HttpAccess;
  /** The kiosk page: always, or while this setting is on. */
  readonly page?: 'allowed' | PageSetting;
  /**
   * Our own app on the panel's glass. Behind the PIN it acts as the owner and needs no entry for what HTTP callers may
   * do; this entry opens what only the glass has, also while it is locked or only behind the PIN.
   */
  readonly glass?: 'locked' | 'unlocked';
  /** Callers on the broker, who hold the scopes of `mqtt.scopes`. */
  readonly mqtt?: 'allowed';
  /**
   * The replay of a journal on a desk: this command reaches simulated parts and the page of the desk alone. All others
   * are shown there and not carried out.
   */
  readonly replay?: 'allowed';
}

/** A caller as a token names it. */
export interface Identity {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Of a token for single commands: their names. It has no scopes. */
  readonly commands?: readonly string[];
  /** Whether the token was made by the code that the first set-up shows. */
  readonly isFromSetup?: true;
}

/** The holder of the token in `<dataDir>/token`. */
export const OWNER: Identity = { id: 'owner', name: 'owner', scopes };
/** A person at the unlocked glass: acts as the owner. */
export const PANEL: Identity = { id: 'panel', name: 'panel', scopes };
/** A caller of this machine without a token, where the contract lets one in. */
export const LOOPBACK: Identity = { id: 'loopback', name: 'loopback', scopes: ['view', 'control'] };
/** A caller of whom nothing is known, where the contract is open to everyone. */
export const NOBODY: Identity = { id: 'nobody', name: 'nobody', scopes: [] };

/** A journal that is replayed on a desk: it has no scope, the contract says what it may do. */
export const REPLAY: Identity = { id: 'replay', name: 'replay', scopes: [] };

/**
 * Whether a caller's token opens what has this access.
 * @param name of the command; without one it is something else, such as the stream of events
 */
export function opens({ scope, http }: Access, identity: Identity, name?: string): boolean {
  if (http === 'open') return true;
  if (scope === undefined) return false;
  if (identity.commands !== undefined) return name !== undefined && identity.commands.includes(name);
  return scope === 'owner' ? isOwner(identity) : identity.scopes.includes(scope);
}

/** Whether a caller is the owner, or a person at the unlocked glass. */
export function isOwner({ id }: Identity): boolean {
  return id === OWNER.id || id === PANEL.id;
}
