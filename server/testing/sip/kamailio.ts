import { createSocket } from 'node:dgram';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../temporaryFolder.ts';
import { type PeerProgram, startPeerProgram } from './peerProgram.ts';
import { freeSipPort } from './ports.ts';

const START_LIMIT_MS = 10_000;
const TRIES = 3;

/** The realm and domain of the test registrar; not the name of its host, as with most PBXs. */
export const PBX_REALM = 'panels.test';

/** A running registrar and proxy, a second, independent implementation that tests talk to. */
export interface Kamailio {
  readonly host: '127.0.0.1';
  /** UDP and TCP; TLS, if requested, has the next one. */
  readonly port: number;
  output(): string;
  stop(): Promise<void>;
}

/** The one password that the test registrar accepts from a user. */
export function pbxPassword(user: string): string {
  return `pw-${user}`;
}

interface KamailioOptions {
  readonly digest?: 'MD5' | 'SHA-256';
  /** Seconds for which a nonce is valid; after that it is `stale`. */
  readonly nonceSeconds?: number;
  /** Shortest and longest granted registration, in seconds. */
  readonly minExpires?: number;
  readonly maxExpires?: number;
  /** Key and certificate in PEM: with them it accepts TLS connections. Needs Debian's kamailio-tls-modules. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Starts kamailio on a free port of 127.0.0.1, as registrar and stateful proxy. Needs Debian's kamailio. */
export async function startKamailio(options: KamailioOptions = {}): Promise<Kamailio> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (attempt === TRIES) throw error;
    }
  }
}

async function startOnce(options: KamailioOptions): Promise<Kamailio> {
  const port = await freeSipPort();
  const folder = temporaryFolder('kamailio');
  const config = join(folder, 'kamailio.cfg');
  await writeFile(config, configOf(port, options, folder));
  for (const name of ['key', 'cert'] as const) {
    if (options.tls !== undefined) await writeFile(join(folder, name), options.tls[name]);
  }
  const args = ['-f', config, '-DD', '-E', '-Y', folder, '-P', join(folder, 'pid'), '-m', '32', '-M', '4'];
  const program = await startPeerProgram('/usr/sbin/kamailio', args, folder);
  const stop = async (): Promise<void> => {
    await program.stop();
  };
  try {
    await answersOptions(port, program);
  } catch (error) {
    await stop();
    throw error;
  }
  return { host: '127.0.0.1', port, output: () => program.output(), stop };
}

async function answersOptions(port: number, program: PeerProgram): Promise<void> {
  const socket = createSocket('udp4');
  let isAnswered = false;
  socket.on('message', () => {
    isAnswered = true;
  });
  socket.on('error', () => {});
  const deadline = Date.now() + START_LIMIT_MS;
  try {
    for (let count = 1; !isAnswered; count++) {
      if (program.hasExited() || Date.now() > deadline)
        throw new Error(`kamailio did not start: ${program.output()}`);
      const request = [
        `OPTIONS sip:127.0.0.1:${port} SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK-ready-${count};rport`,
        'From: <sip:ready@127.0.0.1>;tag=ready',
        `To: <sip:127.0.0.1:${port}>`,
        `Call-ID: ready-${count}`,
        'CSeq: 1 OPTIONS',
        'Max-Forwards: 70',
        'Content-Length: 0',
      ];
      socket.send(`${request.join('\r\n')}\r\n\r\n`, port, '127.0.0.1');
      await sleep(25);
    }
  } finally {
    socket.close();
  }
}

/** The folder's name holds the machine's architecture. */
function modulePath(): string {
  const folders = readdirSync('/usr/lib').map((name) => `/usr/lib/${name}/kamailio/modules/`);
  const path = folders.find((folder) => existsSync(folder));
  if (path === undefined) throw new Error('the modules of kamailio are not there: install Debian kamailio');
  return path;
}

const MODULES = [
  'kex corex tm tmx sl rr pv maxfwd textops siputils xlog usrloc registrar auth nathelper',
].flatMap((names) => names.split(' '));

/** @param folder holds `key` and `cert` */
function tlsConfig(port: number, folder: string): string {
  return `enable_tls=yes
listen=tls:127.0.0.1:${port}
loadmodule "tls.so"
modparam("tls", "tls_method", "TLSv1.2+")
modparam("tls", "private_key", "${join(folder, 'key')}")
modparam("tls", "certificate", "${join(folder, 'cert')}")`;
}

function configOf(port: number, options: KamailioOptions, folder: string): string {
  const { digest = 'MD5', nonceSeconds = 300, minExpires = 5, maxExpires = 120 } = options;
  return `#!KAMAILIO
debug=1
log_stderror=yes
fork=yes
children=1
tcp_children=1
auto_aliases=no
listen=udp:127.0.0.1:${port}
listen=tcp:127.0.0.1:${port}
alias="${PBX_REALM}"
mpath="${modulePath()}"
${MODULES.map((name) => `loadmodule "${name}.so"`).join('\n')}
${options.tls === undefined ? '' : tlsConfig(port + 1, folder)}
modparam("usrloc", "db_mode", 0)
modparam("registrar", "min_expires", ${minExpires})
modparam("registrar", "default_expires", 60)
modparam("registrar", "max_expires", ${maxExpires})
modparam("nathelper|registrar", "received_avp", "$avp(RECEIVED)")
modparam("auth", "nonce_expire", ${nonceSeconds})
${digest === 'SHA-256' ? 'modparam("auth", "algorithm", "SHA-256")' : ''}
modparam("tm", "fr_inv_timer", 30000)

request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (has_totag()) {
    if (loose_route()) { t_relay(); exit; }
    if (is_method("ACK")) { if (t_check_trans()) t_relay(); exit; }
    sl_send_reply("404", "Not here"); exit;
  }
  t_check_trans();
  if (is_method("OPTIONS") && uri==myself) { sl_send_reply("200", "OK"); exit; }
  force_rport();
  if (is_method("REGISTER")) {
    if (!pv_www_authenticate("${PBX_REALM}", "pw-$au", "0")) { www_challenge("${PBX_REALM}", "1"); exit; }
    if ($au != $tU) { sl_send_reply("403", "Forbidden"); exit; }
    fix_nated_register();
    save("location"); exit;
  }
  if (is_method("INVITE")) {
    if (!pv_proxy_authenticate("${PBX_REALM}", "pw-$au", "0")) { proxy_challenge("${PBX_REALM}", "1"); exit; }
    consume_credentials();
    record_route();
  }
  if (!lookup("location")) { sl_send_reply("404", "Not Found"); exit; }
  t_relay();
}
`;
}
