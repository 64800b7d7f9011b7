import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asUser, kioskUser } from '../../platform/privileges.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { findChromium } from '../chromium/process/commandLine.ts';
import { DevTools } from './devTools.ts';
import { until } from './testKiosk.ts';
import type { TestSway } from './testSway.ts';

/** A window of that browser. */
export interface TestWindow {
  readonly tools: DevTools;
  /** One that only this window has, as long as its page does not change it. */
  readonly title: string;
}

/** Chromium with bare windows on sway, without a service: for tests of the order of windows alone. */
export class SwayBrowser implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #port: number;
  readonly #known = new Set<string>();
  #opened = 0;

  private constructor(child: ChildProcess, profile: string, port: number) {
    this.#child = child;
    this.#profile = profile;
    this.#port = port;
  }

  static async open(sway: TestSway, flags: readonly string[] = []): Promise<SwayBrowser> {
    const profile = temporaryFolder('sway-browser');
    const user = process.getuid?.() === 0 ? kioskUser('nobody') : undefined;
    await mkdir(join(profile, 'Default'));
    // Otherwise an app window draws a title bar of its own.
    await writeFile(join(profile, 'Default/Preferences'), '{"browser":{"custom_chrome_frame":false}}');
    if (user)
      for (const path of ['', 'Default', 'Default/Preferences'])
        await chown(join(profile, path), user.uid, user.gid);
    await chmod(profile, 0o700);
    const words = [
      `--user-data-dir=${profile}`,
      '--remote-debugging-port=0',
      '--ozone-platform=wayland',
      '--no-first-run',
      '--password-store=basic',
      '--force-app-mode',
      '--disable-background-networking',
      '--disable-backgrounding-occluded-windows',
      '--disable-features=DialMediaRouteProvider',
      ...flags,
      '--app=data:text/html,<title>first</title><body>',
    ];
    const binary = findChromium() ?? 'chromium';
    const [program, ...args] = user ? asUser(user, binary, words) : [binary, ...words];
    const env = { ...sway.env, HOME: profile, TMPDIR: profile, XDG_RUNTIME_DIR: profile };
    const child = spawn(program!, args, { stdio: 'ignore', cwd: '/', detached: true, env });
    let port = 0;
    await until(async () => {
      const text = await readFile(join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '');
      port = Number(text.split('\n')[0]);
      return port > 0;
    }, 'the browser');
    const browser = new SwayBrowser(child, profile, port);
    await until(async () => (await browser.#targets()).length === 1, 'its window');
    return browser;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** The window that is there from the start. */
  async first(colour: string): Promise<TestWindow> {
    return this.#painted(colour);
  }

  /** A further one, opened by the first. */
  async window(opener: TestWindow, colour: string): Promise<TestWindow> {
    await opener.tools.evaluate(
      "void window.open('about:blank', '_blank', 'popup,noopener,width=400,height=100')",
    );
    return this.#painted(colour);
  }

  async #painted(colour: string): Promise<TestWindow> {
    let url = '';
    await until(async () => {
      const fresh = (await this.#targets()).find(({ id }) => !this.#known.has(id));
      if (fresh === undefined) return false;
      this.#known.add(fresh.id);
      url = fresh.webSocketDebuggerUrl;
      return true;
    }, 'a window');
    const tools = await DevTools.connect(url);
    // Its first document may still be replaced.
    await tools.send('Page.enable');
    await until(
      () => tools.evaluate<boolean>("document.readyState === 'complete' && document.body !== null"),
      'it',
    );
    const title = `title-${process.pid}-${++this.#opened}`;
    await tools.evaluate(`document.title = '${title}', document.body.style = 'margin:0;background:${colour}',
      window.heard = [], void ['blur', 'focus', 'resize', 'keydown', 'mousedown', 'mouseup'].forEach((type) =>
        addEventListener(type, ({ key }) => heard.push(key === undefined ? type : type + ' ' + key)))`);
    return { tools, title };
  }

  async #targets(): Promise<{ id: string; type: string; webSocketDebuggerUrl: string }[]> {
    const list = await fetch(`http://127.0.0.1:${this.#port}/json/list`);
    const targets = (await list.json()) as { id: string; type: string; webSocketDebuggerUrl: string }[];
    return targets.filter(({ type }) => type === 'page');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      process.kill(-this.pid, 'SIGKILL');
      await once(this.#child, 'exit');
    }
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
