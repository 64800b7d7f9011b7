import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { catalogue, type ErrorCode, FaceplateError } from '../../../contract/errors.ts';
import { aptInstall, aptRemove } from './debianPackage.ts';

/** Where systemd listens for the helper of the Debian package; only the service's own user may connect. */
export const HELPER_SOCKET = '/run/faceplate-helper.sock';

/** Who changes the Debian packages of the machine. */
export interface DebianChanger {
  /** @param mayDowngrade also replaces a newer version with an older one */
  install(path: string, mayDowngrade: boolean): Promise<void>;
  remove(packageName: string): Promise<void>;
}

/** The request to the helper, as one line of JSON; the helper checks everything itself. */
export type HelperRequest =
  | { readonly verb: 'install-deb'; readonly path: string }
  | { readonly verb: 'remove-deb'; readonly packageName: string }
  /** Another version of Faceplate, which has to prove itself, and what becomes of it. */
  | { readonly verb: 'update-begin'; readonly path: string }
  | { readonly verb: 'update-return' }
  | { readonly verb: 'update-good' };

/** Its answer: empty, or why nothing was done. */
export interface HelperAnswer {
  readonly code?: string;
  readonly error?: string;
}

/**
 * As root, apt-get itself; else the helper of the Debian package.
 * @throws FaceplateError HARDWARE_ERROR when there is neither
 */
export function debianChanger(
  socket: string = HELPER_SOCKET,
  isRoot = process.getuid?.() === 0,
): DebianChanger {
  if (isRoot) return { install: aptInstall, remove: aptRemove };
  if (!existsSync(socket)) {
    const sentence =
      'Debian packages can be changed only if the service runs as root or was installed as a Debian package.';
    throw new FaceplateError('HARDWARE_ERROR', sentence);
  }
  return {
    install: (path) => askHelper(socket, { verb: 'install-deb', path }),
    remove: (packageName) => askHelper(socket, { verb: 'remove-deb', packageName }),
  };
}

/** Asks the helper at a socket. @throws FaceplateError as the helper says, HARDWARE_ERROR when it does not answer */
export async function askHelper(path: string, request: HelperRequest): Promise<void> {
  const socket = connect(path);
  socket.end(`${JSON.stringify(request)}\n`);
  let answer: HelperAnswer;
  try {
    answer = JSON.parse(await text(socket)) as HelperAnswer;
  } catch (cause) {
    throw new FaceplateError('HARDWARE_ERROR', 'The helper for packages did not answer.', { cause });
  } finally {
    socket.destroy();
  }
  const { code, error } = answer;
  if (code === undefined) return;
  throw new FaceplateError(isErrorCode(code) ? code : 'HARDWARE_ERROR', error);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(catalogue, code);
}
