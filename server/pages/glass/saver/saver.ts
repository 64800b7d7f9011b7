import type { GlassOrder, SaverOnGlass } from '../../../kiosk/glass/contract.ts';
import type { Drawer, Tell } from '../drawer.ts';
import { clockView } from './clock.ts';
import { pageView } from './page.ts';
import { photosView } from './photos.ts';
import type { View } from './view.ts';

/** Draws the saver. The first touch or key ends it: it is told, and nothing else hears of it. */
export function saverDrawer(root: HTMLElement, tell: Tell): Drawer<'saver'> {
  let drawn = '';
  let view: View | undefined;
  const touched = (event: Event) => {
    if (!event.isTrusted || root.hidden) return;
    // What lies above the saver has keys of its own.
    const isElsewhere = event.target instanceof Element && event.target.closest('#message, #dialog, #note');
    if (isElsewhere) return;
    event.preventDefault();
    tell({ slot: 'saver', did: 'touched' });
  };
  root.addEventListener('pointerdown', touched);
  document.addEventListener('keydown', touched, true);
  root.addEventListener('contextmenu', (event) => event.preventDefault());
  return {
    draw(content, order) {
      const wanted = content === null ? '' : JSON.stringify([content, order.language, order.screen]);
      if (wanted !== drawn) {
        drawn = wanted;
        view?.end();
        view = content === null ? undefined : open(root, content, order);
        root.hidden = content === null;
      }
      return content === null ? null : { area: 'screen', focus: true };
    },
  };
}

function open(root: HTMLElement, { kind, photos, url }: SaverOnGlass, order: GlassOrder): View | undefined {
  const { language, screen } = order;
  if (kind === 'black') return undefined;
  if (kind === 'photos' && photos !== null) return photosView(root, { address: photos, language, screen });
  if (kind === 'page' && url !== null) return pageView(root, url);
  return clockView(root, language);
}
