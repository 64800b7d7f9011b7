import { readFileSync, statSync } from 'node:fs';

/** The unprivileged user that the browser runs as when the service may switch users. */
export interface KioskUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** The user's own home folder; undefined when it has none (`nobody`): then the profile folder is its home. */
  readonly home: string | undefined;
}

/**
 * Looks up the setting `kiosk.user`; when that user does not exist, `nobody`.
 * @throws Error when neither exists, or the user is root.
 */
export function kioskUser(name: string, passwdFile = '/etc/passwd'): KioskUser {
  const lines = readFileSync(passwdFile, 'utf8').split('\n');
  const line = [name, 'nobody']
    .map((wanted) => lines.find((entry) => entry.startsWith(`${wanted}:`)))
    .find((entry) => entry !== undefined);
  if (line === undefined)
    throw new Error(`There is neither a user "${name}" nor "nobody" to run the browser as.`);
  // passwd(5): name:password:UID:GID:GECOS:directory:shell
  const fields = line.split(':');
  const uid = Number(fields[2]);
  const gid = Number(fields[3]);
  if (!Number.isInteger(uid) || !Number.isInteger(gid) || uid === 0)
    throw new Error(`The browser cannot run as "${fields[0]}": name an unprivileged user in kiosk.user.`);
  return { name: fields[0]!, uid, gid, home: isOwnFolder(fields[5], uid) ? fields[5] : undefined };
}

function isOwnFolder(folder: string | undefined, uid: number): boolean {
  if (!folder?.startsWith('/')) return false;
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === uid;
}
