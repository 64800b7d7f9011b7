import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freeTcpPort, isListening } from '../../server/testing/freePort.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { until } from '../../server/testing/waiting.ts';

const STOP_LIMIT_MS = 5_000;
/** RabbitMQ takes 11 s on an idle machine. */
const START_LIMIT_MS = 90_000;
const SERVERS = '/usr/lib/rabbitmq/lib';

/** Users that a broker knows, with their passwords. */
export type Users = Readonly<Record<string, string>>;

/** How a broker written in Erlang is started. */
interface Recipe {
  /** Files of its folder: name and contents. */
  readonly files: Readonly<Record<string, string>>;
  /** Arguments of `erl`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export type RecipeOf = (place: { folder: string; port: number; peerPort: number; users: Users }) => Recipe;

/**
 * A broker of another make than mosquitto, of Debian's package, on 127.0.0.1 with a folder of its own. It is started without
 * the script of its package, which would ask for the user and the folders of the package.
 */
export class ErlangBroker {
  readonly #recipe: RecipeOf;
  readonly #users: Users;
  readonly #folder = temporaryFolder('erlang');
  #port = 0;
  /** Of its link to other nodes, and of the daemon that knows their ports; nobody uses them. */
  #peerPort = 0;
  #daemonPort = 0;
  #child: ChildProcess | undefined;
  #output = '';

  private constructor(recipe: RecipeOf, users: Users) {
    this.#recipe = recipe;
    this.#users = users;
  }

  /** @throws Error with what it said when it does not listen in time */
  static async start(recipe: RecipeOf, users: Users): Promise<ErlangBroker> {
    const broker = new ErlangBroker(recipe, users);
    try {
      await broker.start();
    } catch (error) {
      await broker.stop();
      throw error;
    }
    return broker;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `mqtt://127.0.0.1:${this.#port}`;
  }

  /** What it logged. */
  get output(): string {
    return this.#output;
  }

  /** Starts it, also again on the same port after `kill`. */
  async start(): Promise<void> {
    this.#port ||= await freeTcpPort();
    this.#peerPort ||= await freeTcpPort();
    this.#daemonPort ||= await freeTcpPort();
    const [folder, port, peerPort, users] = [this.#folder, this.#port, this.#peerPort, this.#users];
    const { files, args, env } = this.#recipe({ folder, port, peerPort, users });
    mkdirSync(join(folder, 'db'), { recursive: true });
    for (const [name, contents] of Object.entries(files)) writeFileSync(join(folder, name), contents);
    // Without busy waiting: the machine is shared.
    const child = spawn('erl', ['-noinput', '+sbwt', 'none', ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, ERL_CRASH_DUMP: '/dev/null', ...this.#daemon, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-100_000);
      });
    const listens = () => child.exitCode !== null || isListening(this.#port);
    await until(listens, `the broker:\n${this.#output}`, { everyMs: 50, limitMs: START_LIMIT_MS });
    if (child.exitCode !== null) throw new Error(`The broker did not start:\n${this.#output}`);
  }

  /** Ends the process as a loss of power does; its folder and port stay. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    const giveUp = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(giveUp);
  }

  /** Removes all that it keeps, while it is down. */
  forget(): void {
    rmSync(join(this.#folder, 'db'), { recursive: true, force: true });
  }

  /** Ends it and removes its folder; safe to call twice. */
  async stop(): Promise<void> {
    await this.kill('SIGTERM');
    try {
      execFileSync('epmd', ['-port', String(this.#daemonPort), '-kill'], { stdio: 'ignore' });
    } catch {
      // There is none: ejabberd without a name needs no daemon.
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #daemon() {
    return { ERL_EPMD_ADDRESS: '127.0.0.1', ERL_EPMD_PORT: String(this.#daemonPort) };
  }
}

/** Why this machine has no such broker, or false. */
export function noErlangBroker(name: 'ejabberd' | 'rabbitmq-server'): string | false {
  const program = name === 'ejabberd' ? '/usr/sbin/ejabberdctl' : SERVERS;
  return !existsSync(program) && `needs the Debian package ${name}`;
}

/** ejabberd with its MQTT module: MQTT 5 and 3.1.1. */
export const ejabberd: RecipeOf = ({ folder, port, users }) => {
  const register = Object.entries(users).map(
    ([user, password]) => `ejabberd_auth:try_register(<<"${user}">>, <<"localhost">>, <<"${password}">>)`,
  );
  return {
    files: {
      'ejabberd.yml': `hosts: [localhost]
listen: [{port: ${port}, ip: "127.0.0.1", module: mod_mqtt, max_payload_size: infinity}]
auth_method: internal
modules: {mod_mqtt: {max_queue: 100000, match_retained_limit: infinity}}
`,
    },
    args: ['-mnesia', 'dir', `"${folder}/db"`, '-s', 'ejabberd', '-eval', `${register.join(', ')}.`],
    env: {
      ERL_LIBS: '/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu',
      EJABBERD_CONFIG_PATH: join(folder, 'ejabberd.yml'),
      EJABBERD_LOG_PATH: join(folder, 'ejabberd.log'),
    },
  };
};

/** RabbitMQ with its MQTT plugin: 3.1.1 alone (up to 3.12). It knows one user, the first one. */
export const rabbitMq: RecipeOf = ({ folder, port, peerPort, users }) => {
  const [[user, password] = ['', '']] = Object.entries(users);
  const server = join(SERVERS, readdirSync(SERVERS)[0]!);
  const own = (name: string) => join(folder, name);
  return {
    files: {
      'rabbitmq.conf': `listeners.tcp = none
mqtt.listeners.tcp.1 = 127.0.0.1:${port}
mqtt.allow_anonymous = false
default_user = ${user}
default_pass = ${password}
log.file = false
log.console = true
`,
      enabled_plugins: '[rabbitmq_mqtt].',
    },
    args: [
      ...[
        '-boot',
        'start_sasl',
        '-s',
        'rabbit',
        'boot',
        '-start_epmd',
        'false',
        '-erl_epmd_port',
        `${peerPort}`,
      ],
      ...['-kernel', 'inet_dist_use_interface', '{127,0,0,1}'],
      ...['-kernel', 'prevent_overlapping_partitions', 'false'],
      ...['-syslog', 'logger', '[]', '-syslog', 'syslog_error_logger', 'false'],
    ],
    env: {
      ERL_LIBS: join(server, 'plugins'),
      RABBITMQ_NODENAME: `broker${port}@127.0.0.1`,
      RABBITMQ_USE_LONGNAME: 'true',
      RABBITMQ_DIST_PORT: `${peerPort}`,
      RABBITMQ_HOME: server,
      RABBITMQ_PLUGINS_DIR: join(server, 'plugins'),
      RABBITMQ_MNESIA_BASE: own('db'),
      RABBITMQ_LOG_BASE: own('log'),
      RABBITMQ_CONFIG_FILE: own('rabbitmq'),
      RABBITMQ_ADVANCED_CONFIG_FILE: own('none'),
      RABBITMQ_CONF_ENV_FILE: own('none'),
      RABBITMQ_GENERATED_CONFIG_DIR: own('generated'),
      RABBITMQ_ENABLED_PLUGINS_FILE: own('enabled_plugins'),
      RABBITMQ_FEATURE_FLAGS_FILE: own('db/featureFlags'),
      RABBITMQ_PID_FILE: own('pid'),
      SYS_PREFIX: '',
    },
  };
};
