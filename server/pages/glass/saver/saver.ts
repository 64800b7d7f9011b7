import type { GlassOrder, SaverOnGlass } from '../../../kiosk/glass/contract.ts';
import type { Drawer, Tell } from '../drawer.ts';
import { clockView, type View } from './clock.ts';
import { photosView } from './photos.ts';

/** Draws the saver. The first touch or key ends it: only the service gets it. */
export function saverDrawer(root: HTMLElement, tell: Tell): Drawer<'saver'> {
  let drawn = '';
  let view: View | undefined;
  const touched = (event: Event) => {
    if (!event.isTrusted || root.hidden) return;
    // What is above the saver has keys of its own.
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

/**
 * A page of an address, to be looked at only: it gets no touch and no key, opens no window, never navigates the panel,
 * and has no permissions. Its scripts run, on its own origin.
 */
function pageView(root: HTMLElement, url: string): View {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');
  frame.allow = '';
  frame.inert = true;
  frame.referrerPolicy = 'no-referrer';
  frame.title = new URL(url).host;
  frame.src = url;
  // A touch ends the saver; it never reaches the frame.
  const pane = document.createElement('div');
  pane.className = 'pane';
  pane.tabIndex = -1;
  root.append(frame, pane);
  // A script of the frame may take the focus; the keys are the saver's.
  const keep = () => setTimeout(() => pane.focus());
  addEventListener('blur', keep);
  pane.focus();
  return {
    end() {
      removeEventListener('blur', keep);
      root.replaceChildren();
    },
  };
}
