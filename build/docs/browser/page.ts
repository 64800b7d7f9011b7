// What each page of the site has besides its text: the look that a reader chose, and buttons that copy examples. It runs in
// the head, so that the page is never drawn in the other look first.
const root = document.documentElement;
/** In the order of the switch. `auto` follows the system. */
const looks = ['auto', 'light', 'dark'] as const;

function chosen(): (typeof looks)[number] {
  // A browser may forbid storage to files.
  try {
    return looks.find((look) => look === localStorage.getItem('look')) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function choose(look: (typeof looks)[number]): void {
  root.dataset.look = look;
  try {
    localStorage.setItem('look', look);
  } catch {
    // It lasts as long as the page then.
  }
}

root.dataset.look = chosen();

function copyButton(pre: HTMLElement): HTMLButtonElement {
  const button = document.createElement('button');
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1_500);
  });
  return button;
}

document.addEventListener('DOMContentLoaded', () => {
  const select = document.querySelector<HTMLSelectElement>('#look')!;
  select.value = chosen();
  select.addEventListener('change', () => choose(looks[select.selectedIndex]!));
  if (navigator.clipboard === undefined) return;
  for (const pre of document.querySelectorAll<HTMLElement>('main pre')) {
    const box = document.createElement('div');
    box.className = 'example';
    pre.before(box);
    box.append(pre, copyButton(pre));
  }
});
