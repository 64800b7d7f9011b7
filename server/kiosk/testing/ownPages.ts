import type { BuiltInPageName } from '../builtInPageContract.ts';
import type { BuiltInPage, OpenedPage, PageCaller } from '../host.ts';
import type { TestKiosk } from './testKiosk.ts';

const HEARD = `heard = []; for (const type of ['click', 'keydown'])
  addEventListener(type, (event) => heard.push(event.type), true);`;
/** A page that a built-in page covers, and built-in ones. */
export const PAGES = {
  '/': `<body style="margin:0;background:#00aa00"><script>${HEARD}</script>`,
  '/own': `<body style="margin:0;background:#0000aa"><script>${HEARD}
    ticks = drawn = 0; setInterval(() => ticks++, 20);
    const draw = () => { drawn++; requestAnimationFrame(draw); }; draw();
    got = []; faceplateHost.listen((json) => got.push(JSON.parse(json)));
    faceplateHost.post('"hello"');
  </script>`,
  '/frames': `<body><script>alert('nobody answers'); faceplateHost.post('"hello"')</script>
    <iframe src="/own"></iframe><iframe srcdoc="<p>"></iframe><iframe src="about:blank"></iframe>
    <iframe sandbox="allow-scripts" srcdoc="<p>"></iframe>`,
};

/** Built-in pages in a kiosk of the tests, and their messages. */
export class Own {
  readonly kiosk: TestKiosk;
  readonly said: string[] = [];
  pagesGone = 0;
  gone = 0;
  caller: PageCaller | undefined;
  readonly #open: OpenedPage[] = [];

  constructor(kiosk: TestKiosk) {
    this.kiosk = kiosk;
  }

  async open(
    name: BuiltInPageName,
    options: Partial<BuiltInPage> & { path?: string } = {},
  ): Promise<OpenedPage> {
    const opened = await this.kiosk.host.openBuiltIn({
      name,
      url: `${this.kiosk.origin(name)}${options.path ?? '/own'}`,
      visible: name === 'settings',
      media: name === 'intercom',
      sink: {
        onMessage: (caller, json) => {
          this.caller = caller;
          this.said.push(json);
        },
        onPageGone: () => this.pagesGone++,
      },
      onGone: () => this.gone++,
      ...options,
    });
    this.#open.push(opened);
    return opened;
  }

  async reset(): Promise<void> {
    for (const opened of this.#open.splice(0)) await opened.close();
    this.said.length = this.gone = this.pagesGone = 0;
  }

  async evaluate<T>(name: BuiltInPageName, expression: string): Promise<T> {
    const tools = await this.kiosk.ownTools(name);
    try {
      return await tools.evaluate<T>(expression);
    } finally {
      tools.close();
    }
  }
}
