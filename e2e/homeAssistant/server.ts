import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeTcpPort } from '../../server/testing/freePort.ts';
import { until } from '../../server/testing/waiting.ts';
import type { Installed } from './install.ts';
import { HomeAssistantSocket } from './socket.ts';

const LIMIT = { limitMs: 240_000, everyMs: 250 };
const STOP_MS = 60_000;
const USER = { name: 'Test', username: 'test', password: 'test-secret', language: 'en' };

const CONFIGURATION = `homeassistant: {name: House, time_zone: UTC, unit_system: metric, country: AT}
api:
config:
frontend:
lovelace:
onboarding:
automation: !include automations.yaml
logger: {default: warning, logs: {homeassistant.components.mqtt: info}}
# light.hall, as the recipes switch and dim it.
input_boolean: {hall: {}}
input_number: {hall: {min: 0, max: 255}}
template:
  - light:
      - name: Hall
        state: "{{ is_state('input_boolean.hall', 'on') }}"
        level: "{{ states('input_number.hall') | int(0) }}"
        turn_on: {action: input_boolean.turn_on, target: {entity_id: input_boolean.hall}}
        turn_off: {action: input_boolean.turn_off, target: {entity_id: input_boolean.hall}}
        set_level:
          - action: input_number.set_value
            target: {entity_id: input_number.hall}
            data: {value: "{{ brightness }}"}
          - action: input_boolean.turn_on
            target: {entity_id: input_boolean.hall}
`;

export interface EntityState {
  readonly entity_id: string;
  readonly state: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Broker {
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
}

/** A headless Home Assistant on loopback, set up over its API. */
export class HomeAssistantServer {
  readonly #installed: Installed;
  /** Its configuration folder, from here and as the program sees it. */
  readonly #folder: string;
  readonly #folderInside: string;
  #port = 0;
  #child: ChildProcess | undefined;
  #output = '';
  #token = '';
  /** What a browser needs to be signed in. */
  #tokens: Record<string, unknown> = {};
  #socket: HomeAssistantSocket | undefined;

  constructor(installed: Installed) {
    this.#installed = installed;
    const name = `faceplate-home-assistant-${process.pid}-${Date.now()}`;
    this.#folderInside = installed.root === '' ? join(tmpdir(), name) : join('/srv', name);
    this.#folder = join(installed.root, this.#folderInside);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** What it printed: its log. */
  get output(): string {
    return this.#output;
  }

  get tokens(): Readonly<Record<string, unknown>> {
    return this.#tokens;
  }

  /** Starts it the first time, with its first user, connected to the broker. @param automations YAML */
  async setUp(broker: Broker, automations = '[]\n'): Promise<void> {
    this.#port = await freeTcpPort();
    mkdirSync(join(this.#folder, '.storage'), { recursive: true });
    writeFileSync(join(this.#folder, 'configuration.yaml'), CONFIGURATION);
    const ownAutomations = join(this.#folder, 'automations.yaml');
    writeFileSync(ownAutomations, '[]\n');
    this.#store('http', 3, httpOf(this.#port));
    // The step of the location would add integrations that call the internet.
    this.#store('onboarding', 4, { done: ['core_config', 'analytics', 'integration'] });
    await this.start();
    const client_id = `${this.url}/`;
    const { auth_code } = await this.call('POST', '/api/onboarding/users', { client_id, ...USER });
    const grant = { grant_type: 'authorization_code', code: String(auth_code), client_id };
    this.#tokens = await this.#grant(grant);
    await this.#renewToken();
    await this.#connectTo(broker);
    await this.isUp();
    // As people add them. Before there is MQTT, those that a message triggers are refused, and a reload alone brings no refused one back.
    writeFileSync(ownAutomations, automations);
    await this.call('POST', '/api/services/automation/reload', {});
  }

  /** Starts it, or starts it again, and waits until it answers. */
  async start(): Promise<void> {
    const { inside, venv } = this.#installed;
    const [program, ...args] = [...inside, `${venv}/bin/hass`, '--config', this.#folderInside];
    const env = { ...process.env, HOME: this.#folderInside, PATH: `${venv}/bin:${process.env.PATH}` };
    const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`Home Assistant ended:\n${this.#output.slice(-4_000)}`);
        return (await fetch(`${this.url}/manifest.json`).catch(() => undefined))?.ok === true;
      },
      'Home Assistant',
      LIMIT,
    );
    if (this.#tokens.refresh_token !== undefined) await this.#renewToken();
  }

  /** Ends it in order; `SIGKILL` cuts it off. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#socket?.close();
    this.#socket = undefined;
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill(signal);
    const giveUp = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await once(child, 'close');
    clearTimeout(giveUp);
  }

  /** Ends it and removes what it stored. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** @throws Error with the status and the answer */
  async call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : { text }) as Record<
      string,
      unknown
    >;
  }

  /** Calls an action, such as `light.turn_on`. */
  async act(action: string, entity_id: string, data: object = {}): Promise<void> {
    await this.call('POST', `/api/services/${action.replace('.', '/')}`, { entity_id, ...data });
  }

  async states(): Promise<EntityState[]> {
    return (await this.call('GET', '/api/states')) as unknown as EntityState[];
  }

  /** Undefined while there is no such entity. */
  async state(entityId: string): Promise<EntityState | undefined> {
    return (await this.states()).find(({ entity_id }) => entity_id === entityId);
  }

  /** Says what a device of the house does that is not there, such as a player. */
  async pretend(entityId: string, state: string, attributes: object = {}): Promise<void> {
    await this.call('POST', `/api/states/${entityId}`, { state, attributes });
  }

  /** The bytes of an image entity. */
  async image(entityId: string): Promise<Uint8Array> {
    const { attributes } = (await this.state(entityId))!;
    const response = await fetch(`${this.url}${String(attributes.entity_picture)}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** A command of its WebSocket. */
  async ask<T = unknown>(type: string, more: object = {}): Promise<T> {
    this.#socket ??= await HomeAssistantSocket.open(this.url, this.#token);
    return (await this.#socket.ask(type, more)) as T;
  }

  /** Waits until all of it is up. */
  async isUp(): Promise<void> {
    await until(async () => (await this.call('GET', '/api/config')).state === 'RUNNING', 'its start', LIMIT);
  }

  /** Writes what it would have stored by itself. */
  #store(key: string, version: number, data: object): void {
    const stored = { version, minor_version: 1, key, data };
    writeFileSync(join(this.#folder, '.storage', key), JSON.stringify(stored));
  }

  async #connectTo({ port, username = '', password = '' }: Broker): Promise<void> {
    const flow = await this.call('POST', '/api/config/config_entries/flow', { handler: 'mqtt' });
    const schema = flow.data_schema as { name: string }[];
    const entry = await this.call('POST', `/api/config/config_entries/flow/${String(flow.flow_id)}`, {
      broker: '127.0.0.1',
      port,
      ...(username !== '' && { username, password }),
      // Of 2026; an older one refuses them.
      ...(schema.some(({ name }) => name === 'other_settings') && {
        protocol: '5',
        other_settings: { set_client_cert: false, set_ca_cert: 'off', transport: 'tcp' },
      }),
    });
    if (entry.type !== 'create_entry') throw new Error(`MQTT was not set up: ${JSON.stringify(entry)}`);
  }

  /** Tokens last half an hour, and end with the connection of a browser. */
  async #renewToken(): Promise<void> {
    const grant = {
      grant_type: 'refresh_token',
      refresh_token: String(this.#tokens.refresh_token),
      client_id: `${this.url}/`,
    };
    const { access_token } = await this.#grant(grant);
    this.#token = String(access_token);
  }

  async #grant(grant: Record<string, string>): Promise<Record<string, unknown>> {
    const body = new URLSearchParams(grant);
    const response = await fetch(`${this.url}/auth/token`, { method: 'POST', body });
    if (!response.ok) throw new Error(`no token: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  }
}

/**
 * Its settings of HTTP as it stores them. From configuration.yaml they hold on trial for five minutes, and then it listens
 * on all addresses.
 */
function httpOf(port: number): object {
  const stable = {
    server_host: ['127.0.0.1'],
    server_port: port,
    cors_allowed_origins: [],
    login_attempts_threshold: -1,
    ip_ban_enabled: true,
    ssl_profile: 'intermediate_v6',
    use_x_frame_options: true,
    created_at: '2026-11-22T00:00:00+00:00',
    error: null,
    error_message: null,
  };
  return { stable, pending: null, yaml_migration_done: true };
}
