import type { View } from './view.ts';

/**
 * A page of an address, to be looked at only: it gets no touch and no key, opens no window, leads nobody away,
 * and has no permissions. Its scripts run, on its own origin.
 */
export function pageView(root: HTMLElement, url: string): View {
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
