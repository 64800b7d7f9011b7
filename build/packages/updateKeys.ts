import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isTooOld, oldestInKeys } from '../../server/parts/update/oldestVersion.ts';
import { VERSION } from './projectFacts.ts';

/** A sentence for the person at the keyboard. */
export class KeyError extends Error {}

/** Files with the private key and the certificate that sign updates. */
export interface Signer {
  readonly key: string;
  readonly certificate: string;
}

/** The files that were named. @throws KeyError where one cannot be read, or the two do not belong together */
export function namedSigner(key: string, certificate: string): Signer {
  const files = { key: resolve(key), certificate: resolve(certificate) };
  for (const file of Object.values(files)) {
    if (!existsSync(file)) throw new KeyError(`There is no file ${file}.`);
  }
  const publicKey = (args: readonly string[], what: string) => {
    try {
      return execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    } catch {
      throw new KeyError(`openssl cannot read ${what}.`);
    }
  };
  const ofKey = publicKey(['pkey', '-in', files.key, '-pubout'], files.key);
  const args = ['x509', '-in', files.certificate, '-noout', '-pubkey'];
  if (ofKey !== publicKey(args, files.certificate))
    throw new KeyError(`${files.certificate} is not the certificate of ${files.key}.`);
  return files;
}

/**
 * The developer's own key, made once in `$XDG_CONFIG_HOME/faceplate`: update.key (mode 0600) and update.pem.
 * @param say hears where a new key was put
 */
export function developersSigner(say: (line: string) => void, env: NodeJS.ProcessEnv = process.env): Signer {
  const folder = join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'faceplate');
  const signer = { key: join(folder, 'update.key'), certificate: join(folder, 'update.pem') };
  if (existsSync(signer.key) && existsSync(signer.certificate))
    return namedSigner(signer.key, signer.certificate);
  if (existsSync(signer.key) || existsSync(signer.certificate))
    throw new KeyError(`Only one of update.key and update.pem is in ${folder}: put the other one back.`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const made = { key: `${signer.key}.new`, certificate: `${signer.certificate}.new` };
  const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500';
  const subject = ['-subj', '/CN=Faceplate updates of a developer'];
  const extension = ['-addext', 'keyUsage=critical,digitalSignature,keyCertSign'];
  const files = ['-keyout', made.key, '-out', made.certificate];
  // openssl gives a new key the mode 0600.
  execFileSync('openssl', [...kind.split(' '), ...subject, ...extension, ...files], { stdio: 'pipe' });
  renameSync(made.certificate, signer.certificate);
  renameSync(made.key, signer.key);
  say(
    `A new key for updates: ${signer.key}. Panels that were made with it take updates of this key alone: keep it.`,
  );
  return signer;
}

/**
 * The PEM of the certificates, without the words around them, but with the lines that name the oldest version (docs/updates.md).
 * @param version what is made for panels with this file, where that is known
 * @throws KeyError where the file holds no certificate, or its oldest version is none, or is later than `version`
 */
export function certificateText(file: string, version?: string): string {
  const text = readFileSync(file, 'utf8');
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g);
  if (blocks === null) throw new KeyError(`${file} holds no certificate.`);
  const oldest = oldestInKeys(text);
  for (const each of oldest) {
    if (!VERSION.test(each))
      throw new KeyError(`${file} names "${each}" as its oldest-version, which is no version.`);
    // Such a panel would not take again what it runs.
    if (version !== undefined && isTooOld(version, each))
      throw new KeyError(`${file} says oldest-version: ${each}, which ${version} is not.`);
  }
  return [...oldest.map((each) => `oldest-version: ${each}`), ...blocks, ''].join('\n');
}
