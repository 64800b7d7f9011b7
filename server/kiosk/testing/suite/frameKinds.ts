import type { TestKiosk } from '../testKiosk.ts';

/** Every kind of frame that a page can embed: attributes that make it show `html`, which /frame serves too. */
export const frameKinds: Record<string, (kiosk: TestKiosk, html: string) => Record<string, string>> = {
  'foreign iframe': (kiosk) => ({ src: `${kiosk.origin('evil')}/frame` }),
  'iframe on another port': (kiosk) => ({ src: `${kiosk.origin('p1').replace('p1.', '')}/frame` }),
  'same-origin iframe': () => ({ src: '/frame' }),
  'srcdoc iframe': (_kiosk, html) => ({ srcdoc: html }),
  'sandboxed iframe': () => ({ src: '/frame', sandbox: 'allow-scripts' }),
  'sandboxed srcdoc iframe': (_kiosk, html) => ({ srcdoc: html, sandbox: 'allow-scripts' }),
  'data: iframe': (_kiosk, html) => ({ src: `data:text/html,${encodeURIComponent(html)}` }),
};
