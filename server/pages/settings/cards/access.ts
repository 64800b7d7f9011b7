import { h } from '../dom.ts';
import { call } from '../host.ts';
import { t } from '../language.ts';
import { newPinPad } from '../lockScreen.ts';
import { attempt, confirmed, notice, showDialog } from '../notice.ts';
import { section } from './section.ts';

const HIDDEN = '•'.repeat(32);

/** The token of the API and the PIN of this page. */
export async function accessCards(): Promise<HTMLElement[]> {
  const [{ held }, { pin }] = await Promise.all([call('token.show'), call('settingsPage.status')]);
  return [tokenCard(held), pinCard(pin === 'held')];
}

function tokenCard(isHeld: boolean): HTMLElement {
  let isShown = false;
  const text = h('code', { class: 'token', 'data-testid': 'token' }, HIDDEN);
  const show = h('button', { type: 'button', 'data-testid': 'show-token' }, t('showToken'));
  const draw = async () => {
    text.textContent = isShown ? (await call('token.show')).token : HIDDEN;
    show.textContent = isShown ? t('hideToken') : t('showToken');
  };
  show.addEventListener('click', () => {
    isShown = !isShown;
    void attempt(draw);
  });
  const rotate = async () => {
    if (!(await confirmed(t('rotateSure'), t('rotateToken')))) return;
    if (await attempt(() => call('token.rotate'), t('rotated'))) {
      isShown = true;
      await draw();
    }
  };
  const rotateButton = h(
    'button',
    { type: 'button', class: 'danger', 'data-testid': 'rotate-token', onclick: () => void rotate() },
    t('rotateToken'),
  );
  rotateButton.disabled = isHeld;
  return section(
    t('token'),
    h('p', { class: 'hint' }, t('tokenHint')),
    text,
    isHeld ? h('p', { class: 'hint' }, t('tokenHeld')) : undefined,
    h('div', { class: 'row' }, show, rotateButton),
  );
}

function pinCard(isHeld: boolean): HTMLElement {
  const change = async () => {
    const dialog = h('dialog', { class: 'pin-dialog' });
    const pad = newPinPad(
      async (pin) => {
        await call('settingsPage.changePin', { pin });
      },
      () => {
        dialog.close();
        notice(t('pinChanged'));
      },
    );
    const cancel = h('button', { type: 'button', onclick: () => dialog.close() }, t('cancel'));
    dialog.append(pad.element, h('div', { class: 'row end' }, cancel));
    addEventListener('keydown', pad.onKey);
    await showDialog(dialog);
    removeEventListener('keydown', pad.onKey);
  };
  const button = h(
    'button',
    { type: 'button', 'data-testid': 'change-pin', onclick: () => void change() },
    t('changePin'),
  );
  button.disabled = isHeld;
  return section(
    t('pin'),
    isHeld ? h('p', { class: 'hint' }, t('pinHeld')) : undefined,
    h('div', { class: 'row' }, button),
  );
}
