import type { ResultOf } from '../../contract/commands.ts';
import { call } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { Card, EmptyState, Loading } from '../../pages/manage/ui/card.tsx';
import { confirmed } from '../../pages/manage/ui/dialog.tsx';
import { useCall } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import type { CertificateEntry } from './contract.ts';

/** Servers whose certificate the system does not trust: refused, or pinned by the technician. */
export function ServerCertificates() {
  const list = useCall<ResultOf<'certificates.list'>>('certificates.list');
  return (
    <Card title={t('serverCertificates')} wide>
      <p class="hint">{t('certificateHint')}</p>
      <Loading of={list}>
        {({ certificates }) => (
          <div data-testid="certificates">
            {certificates.length === 0 ? (
              <EmptyState icon="people" words={t('noCertificates')} />
            ) : (
              <ul class="entries">
                {certificates.map((one) => (
                  <Entry key={`${one.host}:${one.port}`} {...one} reload={list.reload} />
                ))}
              </ul>
            )}
          </div>
        )}
      </Loading>
    </Card>
  );
}

function Entry({
  host,
  port,
  state,
  trusted,
  refused,
  reload,
}: CertificateEntry & { reload: () => Promise<void> }) {
  const place = `${host}:${port}`;
  const shown = refused ?? trusted;
  const act = async (work: () => Promise<unknown>) => {
    await attempt(work, t('done'));
    await reload();
  };
  const trust = async (fingerprint: string) => {
    if (await confirmed(t('trustSure', { place, fingerprint }), t('trust'), 'primary'))
      await act(() => call('certificates.trust', { host, port, fingerprint }));
  };
  return (
    <li data-testid={`certificate-${place}`}>
      <div class="grow">
        <strong>{place}</strong>
        <span class={state === 'trusted' ? 'badge good' : 'badge warm'}>{t(state)}</span>
        <p class="hint">{shown?.subject}</p>
        <code class="fingerprint">{shown?.fingerprint}</code>
      </div>
      {refused !== null && (
        <button type="button" class="primary" onClick={() => void trust(refused.fingerprint)}>
          {t('trust')}
        </button>
      )}
      {trusted !== null && (
        <button
          type="button"
          class="danger"
          onClick={() => void act(() => call('certificates.forget', { host, port }))}
        >
          {t('forget')}
        </button>
      )}
    </li>
  );
}
