import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { sha256After } from '../../../console/widget/sha256.js';
import { inkOn } from '../../../console/widget/style.js';
import { say } from '../../../console/widget/texts.js';
import { isOriginAllowed, parseAllowedOrigin, parseOrigin } from '../../../core/model/access/origin.js';
import { generateWidgetKey, isWidgetKey } from '../../../core/model/access/widget-key.js';

describe('keys of widgets', () => {
  it('are recognised by their form, and typing errors are detected', () => {
    const key = generateWidgetKey();
    expect(isWidgetKey(key)).to.equal(true);
    expect(generateWidgetKey()).not.to.equal(key);
    for (let at = 3; at < key.length; at++) {
      const wrong = `${key.slice(0, at)}${key[at] === '0' ? '1' : '0'}${key.slice(at + 1)}`;
      expect(isWidgetKey(wrong), wrong).to.equal(false);
    }
    for (const other of ['', 'wk_', `${key}0`, ` ${key}`, key.toUpperCase()])
      expect(isWidgetKey(other)).to.equal(false);
  });
});

describe('origins', () => {
  it('are normalised like in browsers', () => {
    expect(parseOrigin('https://Shop.Example:443/')).to.equal('https://shop.example');
    expect(parseOrigin('http://127.0.0.1:8080')).to.equal('http://127.0.0.1:8080');
    for (const none of [
      'null',
      '',
      'shop.example',
      'file:///x',
      'https://a:b@shop.example',
      'https://shop.example/x',
    ]) {
      expect(parseOrigin(none), none).to.equal(null);
    }
  });

  it('in a list may cover all subdomains of a site, but not every site', () => {
    expect(parseAllowedOrigin('https://*.Shop.example')).to.equal('https://*.shop.example');
    for (const none of [
      '*',
      'https://*',
      'https://*.com',
      'https://a.*.example',
      'https://*.*.example',
      '*.shop.example',
    ]) {
      expect(parseAllowedOrigin(none), none).to.equal(null);
    }
    const allowed = ['https://shop.example', 'https://*.shop.example'];
    for (const origin of ['https://shop.example', 'https://a.shop.example', 'https://a.b.shop.example']) {
      expect(isOriginAllowed(origin, allowed), origin).to.equal(true);
    }
    for (const origin of ['https://.shop.example', 'https://ashop.example', 'http://a.shop.example', 'null', '']) {
      expect(isOriginAllowed(origin, allowed), origin).to.equal(false);
    }
  });
});

describe('the widget in pages', () => {
  it('computes SHA-256 of any prefix and text', () => {
    const pieces = fc.tuple(fc.string({ maxLength: 200, unit: 'grapheme' }), fc.string({ maxLength: 200 }));
    fc.assert(
      fc.property(pieces, ([prefix, text]) => {
        const mine = Array.from(sha256After(prefix)(text), (word) => word.toString(16).padStart(8, '0')).join('');
        return (
          mine ===
          createHash('sha256')
            .update(prefix + text)
            .digest('hex')
        );
      }),
    );
  });

  it('has readable text on every colour (WCAG AA: 4.5 to 1)', () => {
    const luminance = (hex: string): number => {
      const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
        const part = parseInt(hex.slice(at, at + 2), 16) / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (colour) => {
        const hex = `#${colour.toString(16).padStart(6, '0')}`;
        const ink = inkOn(hex) === '#fff' ? 1 : 0;
        const [light, dark] = [luminance(hex), ink].sort((a, b) => b - a) as [number, number];
        return (light + 0.05) / (dark + 0.05) >= 4.5;
      }),
    );
  });

  it('keeps numbers left to right in both languages', () => {
    expect(say('ar', 'missed', { to: '+96650••••17' })).to.contain('\u2068+96650••••17\u2069');
    expect(say('en', 'missed', { to: '+96650••••17' })).to.equal('We could not reach you at +96650••••17.');
  });

  for (const [minutes, ar] of [
    [1, 'تكررت الطلبات. نرجو المحاولة بعد دقيقة واحدة.'],
    [2, 'تكررت الطلبات. نرجو المحاولة بعد دقيقتين.'],
    [3, 'تكررت الطلبات. نرجو المحاولة بعد 3 دقائق.'],
    [11, 'تكررت الطلبات. نرجو المحاولة بعد 11 دقيقة.'],
  ] as const) {
    it(`counts ${minutes} minutes in Arabic`, () => expect(say('ar', 'RATE_LIMIT_EXCEEDED', { minutes })).to.equal(ar));
  }

  it('counts seconds down in Arabic', () => {
    expect(say('ar', 'code_wait', { seconds: 10 })).to.equal('إعادة الإرسال بعد 10 ثوانٍ');
    expect(say('ar', 'code_wait', { seconds: 30 })).to.equal('إعادة الإرسال بعد 30 ثانية');
  });
});
