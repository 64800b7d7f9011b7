import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from '../server/testing/temporaryFolder.ts';

const START_LIMIT_MS = 60_000;

/** How a value comes back from the page (WebDriver BiDi, script.RemoteValue); only what tests need. */
interface RemoteValue {
  readonly type: string;
  readonly value?: unknown;
}

/**
 * Debian's Firefox ESR, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/). Playwright speaks it too, but
 * asks each new page for an emulation that the ESR does not know yet.
 */
export class Firefox implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  #lastId = 0;

  private constructor(process: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = process;
    this.#profile = profile;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, type, result, error, message } = JSON.parse(String(data)) as Record<string, unknown>;
      const waiting = this.#waiting.get(id as number);
      if (waiting === undefined) return;
      this.#waiting.delete(id as number);
      if (type === 'error') waiting.reject(new Error(`${String(error)}: ${String(message)}`));
      else waiting.resolve(result as Record<string, unknown>);
    });
  }

  /** Starts it without a screen, with a profile of its own. @throws Error when it does not come up within a minute */
  static async start(): Promise<Firefox> {
    const profile = temporaryFolder('firefox');
    // No first-run pages, and no request to anybody but the panel.
    const preferences = {
      'app.update.enabled': false,
      'browser.shell.checkDefaultBrowser': false,
      'datareporting.policy.dataSubmissionEnabled': false,
      'extensions.update.enabled': false,
      'network.captive-portal-service.enabled': false,
      'network.connectivity-service.enabled': false,
      'services.settings.server': 'data:,',
      'toolkit.telemetry.enabled': false,
    };
    const lines = Object.entries(preferences).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    );
    await writeFile(join(profile, 'user.js'), lines.join('\n'));
    const args = [
      '--headless',
      '--no-remote',
      '--profile',
      profile,
      '--remote-debugging-port',
      '0',
      'about:blank',
    ];
    const browser = spawn('firefox-esr', args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, HOME: profile, MOZ_DISABLE_AUTO_SAFE_MODE: '1' },
      detached: true,
    });
    const address = await addressOf(browser);
    const socket = new WebSocket(`${address}/session`);
    await once(socket, 'open');
    const firefox = new Firefox(browser, profile, socket);
    await firefox.#send('session.new', { capabilities: {} });
    return firefox;
  }

  /** Opens a page of this size and waits until it is loaded. */
  async open(url: string, { width, height }: { width: number; height: number }): Promise<FirefoxPage> {
    const { context } = (await this.#send('browsingContext.create', { type: 'tab' })) as { context: string };
    await this.#send('browsingContext.setViewport', { context, viewport: { width, height } });
    await this.#send('browsingContext.navigate', { context, url, wait: 'complete' });
    return new FirefoxPage(
      (method, params) => this.#send(method, { ...params, context }),
      context,
      (params) => this.#send('script.evaluate', params),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#send('browser.close', {}).catch(() => {});
    this.#socket.close();
    if (this.#process.exitCode === null) {
      const ended = once(this.#process, 'exit');
      const timer = setTimeout(() => process.kill(-this.#process.pid!, 'SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
    }
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #send(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set(id, waiting);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return waiting.promise;
  }
}

type Send = (method: string, params: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** One tab. */
export class FirefoxPage {
  readonly #send: Send;
  readonly #context: string;
  readonly #evaluate: (params: Record<string, unknown>) => Promise<Record<string, unknown>>;

  constructor(
    send: Send,
    context: string,
    evaluate: (params: Record<string, unknown>) => Promise<Record<string, unknown>>,
  ) {
    this.#send = send;
    this.#context = context;
    this.#evaluate = evaluate;
  }

  /** Runs an expression in the page; its value as JSON. @throws Error with the message of an exception */
  async evaluate<T>(expression: string): Promise<T> {
    const answer = (await this.#evaluate({
      expression: `(async () => JSON.stringify((await (${expression})) ?? null))()`,
      target: { context: this.#context },
      awaitPromise: true,
    })) as { type: string; result?: RemoteValue; exceptionDetails?: { text: string } };
    if (answer.type === 'exception') throw new Error(answer.exceptionDetails?.text);
    return JSON.parse(String(answer.result?.value)) as T;
  }

  /** A press of the mouse in the middle of the first element that fits. @throws Error when there is none */
  async click(selector: string): Promise<void> {
    const { x, y } = await this.evaluate<{ x: number; y: number }>(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      if (element === null) throw new Error('no element: ' + ${JSON.stringify(selector)});
      element.scrollIntoView({ block: 'center', inline: 'center' });
      const box = element.getBoundingClientRect();
      return { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
    })()`);
    const move = { type: 'pointerMove', x, y };
    await this.#send('input.performActions', {
      actions: [
        {
          type: 'pointer',
          id: 'mouse',
          actions: [move, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }],
        },
      ],
    });
  }

  /** Types into whatever has the focus. */
  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#send('input.performActions', { actions: [{ type: 'key', id: 'keys', actions }] });
  }

  /** PNG of what is shown. */
  async screenshot(): Promise<Uint8Array> {
    const { data } = (await this.#send('browsingContext.captureScreenshot', {})) as { data: string };
    return Buffer.from(data, 'base64');
  }
}

/** The WebSocket address that Firefox prints. */
async function addressOf(browser: ChildProcess): Promise<string> {
  const timer = setTimeout(() => browser.kill('SIGKILL'), START_LIMIT_MS);
  try {
    for await (const line of createInterface({ input: browser.stderr! })) {
      const address = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
      if (address !== undefined) return address;
    }
  } finally {
    clearTimeout(timer);
    // What it prints later is read and forgotten: a full pipe would stop it.
    browser.stderr!.resume();
  }
  throw new Error('Firefox did not come up.');
}
