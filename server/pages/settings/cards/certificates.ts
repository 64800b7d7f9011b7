import type { CertificateEntry } from '../../../contract/certificates.ts';
import { h } from '../dom.ts';
import { call } from '../host.ts';
import { t } from '../language.ts';
import { attempt, confirmed } from '../notice.ts';
import { section } from './section.ts';

/** Servers whose certificate the system does not trust: refused, or pinned by the technician. */
export async function certificateCards(): Promise<HTMLElement[]> {
  const list = h('ul', { class: 'entries', 'data-testid': 'certificates' });
  const draw = async () => {
    const { certificates } = await call('certificates.list');
    list.replaceChildren(...certificates.map((certificate) => entry(certificate, draw)));
    if (certificates.length === 0) list.append(h('li', { class: 'hint' }, t('noCertificates')));
  };
  await draw();
  return [section(t('certificates'), h('p', { class: 'hint' }, t('certificateHint')), list)];
}

function entry({ host, port, state, trusted, refused }: CertificateEntry, draw: () => Promise<void>) {
  const place = `${host}:${port}`;
  const shown = refused ?? trusted;
  const act = async (work: () => Promise<unknown>) => {
    await attempt(work, t('done'));
    await attempt(draw);
  };
  const trust = async () => {
    if (refused === null) return;
    const { fingerprint } = refused;
    if (await confirmed(t('trustSure', { place, fingerprint }), t('trust')))
      await act(() => call('certificates.trust', { host, port, fingerprint }));
  };
  const forget = () => void act(() => call('certificates.forget', { host, port }));
  return h(
    'li',
    { 'data-testid': `certificate-${place}` },
    h(
      'div',
      { class: 'grow' },
      h('strong', {}, place),
      h('span', { class: state === 'trusted' ? 'badge good' : 'badge warm' }, t(state)),
      h('p', { class: 'hint' }, shown?.subject ?? ''),
      h('code', { class: 'fingerprint' }, shown?.fingerprint ?? ''),
    ),
    refused === null
      ? undefined
      : h('button', { type: 'button', class: 'primary', onclick: () => void trust() }, t('trust')),
    trusted === null
      ? undefined
      : h('button', { type: 'button', class: 'danger', onclick: forget }, t('forget')),
  );
}
