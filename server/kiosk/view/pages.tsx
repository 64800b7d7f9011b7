import { useState } from 'preact/hooks';
import { call } from '../../pages/manage/client/panel.ts';
import { language, t } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Facts, Loading, TextField } from '../../pages/manage/ui/card.tsx';
import { settingHomes } from '../../pages/manage/ui/finder.ts';
import { useCall, useEvent } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import { SettingsCard } from '../../pages/manage/views/settingRow.tsx';
import type { PageState } from '../contract.ts';

/** What is shown: the page now, another one for a while, and those that take turns. */
export function Pages() {
  return (
    <>
      <PageNow />
      <ShowAnother />
      <SettingsCard title={t('pagesTitle')} hint={t('pagesHint')} keys={settingHomes['content/pages']!} />
    </>
  );
}

/** How the browser shows pages, and what it lets them do. */
export function Web() {
  return <SettingsCard title={t('pagesGiven')} keys={settingHomes['content/web']!} />;
}

function PageNow() {
  const page = useCall<PageState>('page.state');
  useEvent('page', () => void page.reload());
  return (
    <Card title={t('pageNow')}>
      <Loading of={page}>
        {({ url, title, state, errors, home, until }) => (
          <>
            <p class="big" role="status" data-testid="page-state">
              {t(`page_${state}`)}
            </p>
            <Facts
              rows={[
                [t('pageAddress'), url],
                [t('name'), title],
                [t('pageErrors'), String(errors)],
                [t('pageUntil'), until === null ? null : new Date(until).toLocaleTimeString(language.get())],
              ]}
            />
            <div class="row">
              <button
                type="button"
                data-testid="page-home"
                disabled={home}
                onClick={() => void attempt(() => call('page.home'))}
              >
                {t('pageHome')}
              </button>
            </div>
            <CallShown command="page.home" />
          </>
        )}
      </Loading>
    </Card>
  );
}

function ShowAnother() {
  const [url, setUrl] = useState('');
  const [seconds, setSeconds] = useState('30');
  const params = { url: url.trim(), ...(seconds !== '' && { seconds: Number(seconds) }) };
  return (
    <Card title={t('pageAnother')}>
      <p class="hint">{t('pageAnotherHint')}</p>
      <TextField
        label={t('pageAddress')}
        value={url}
        onText={setUrl}
        testId="page-url"
        type="url"
        placeholder="https://"
      />
      <TextField
        label={t('pageSeconds')}
        value={seconds}
        onText={setSeconds}
        testId="page-seconds"
        isNumber
        maxLength={5}
      />
      <div class="row">
        <button
          type="button"
          class="primary"
          data-testid="page-show"
          disabled={url.trim() === ''}
          onClick={() => void attempt(() => call('page.show', params))}
        >
          {t('pageShow')}
        </button>
      </div>
      <CallShown command="page.show" params={params} />
    </Card>
  );
}
