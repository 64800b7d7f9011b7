import { existsSync } from 'node:fs';
import { connect } from 'node:net';
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
  | { readonly verb: 'update-good' }
  /** The same on a disk image with two slots, and forgetting what was installed and waits. */
  | { readonly verb: 'slot-install'; readonly path: string }
  | { readonly verb: 'slot-return' }
  | { readonly verb: 'slot-good' }
  | { readonly verb: 'slot-discard' }
  /** What becomes of faceplate.json on the boot partition of an image, and the name of the machine. */
  | { readonly verb: 'provision-taken' | 'provision-refused' | 'hostname'; readonly text: string };

/** Its answer: empty, or why nothing was done. Lines before it say how far it is. */
export interface HelperAnswer {
  /** Percent. */
  readonly progress?: number;
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

/**
 * Asks the helper at a socket.
 * @param onProgress gets 0 to 100
 * @throws FaceplateError as the helper says, HARDWARE_ERROR when it does not answer
 */
export async function askHelper(
  path: string,
  request: HelperRequest,
  onProgress: (percent: number) => void = () => {},
): Promise<void> {
  const socket = connect(path);
  socket.end(`${JSON.stringify(request)}\n`);
  let answer: HelperAnswer | undefined;
  try {
    let received = '';
    for await (const chunk of socket.setEncoding('utf8')) {
      const lines = (received + (chunk as string)).split('\n');
      received = lines.pop()!;
      for (const line of lines) {
        answer = JSON.parse(line) as HelperAnswer;
        if (answer.progress !== undefined) onProgress(answer.progress);
      }
    }
    if (received !== '') answer = JSON.parse(received) as HelperAnswer;
    if (answer === undefined || answer.progress !== undefined) throw new Error('the answer is missing');
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
