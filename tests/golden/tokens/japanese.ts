// 検索結果のキャッシュ。同じ問い合わせを短い時間に何度も実行しないようにする。
// 有効期限が切れた項目は、次に読み出されたときに削除される。
import { createHash } from 'node:crypto';

export interface キャッシュ項目<T> {
  値: T;
  /** 登録された時刻（ミリ秒） */
  createdAt: number;
  /** 読み出された回数。統計の表示に使う */
  hits: number;
}

export class QueryCache<T> {
  private readonly entries = new Map<string, キャッシュ項目<T>>();

  /**
   * @param maxEntries 保持する項目の最大数。超えた場合は最も古いものから捨てる
   * @param ttlMs 有効期限。ゼロを指定すると期限なしになる
   */
  constructor(private readonly maxEntries = 500, private readonly ttlMs = 60_000) {}

  get(query: string): T | undefined {
    const key = this.keyOf(query);
    const entry = this.entries.get(key);
    if (!entry) {
      return undefined; // 見つからない
    }
    if (this.ttlMs > 0 && Date.now() - entry.createdAt > this.ttlMs) {
      // 期限切れなので取り除いてから「なし」を返す
      this.entries.delete(key);
      return undefined;
    }
    entry.hits += 1;
    return entry.値;
  }

  set(query: string, 値: T): void {
    if (this.entries.size >= this.maxEntries) {
      // Map は挿入順を保つため、最初のキーが最も古い
      const oldest = this.entries.keys().next().value;
      if (oldest !== undefined) this.entries.delete(oldest);
    }
    this.entries.set(this.keyOf(query), { 値, createdAt: Date.now(), hits: 0 });
  }

  /** 空白と大文字小文字の違いを無視してキーを作る。日本語の全角空白も対象にする。 */
  private keyOf(query: string): string {
    const normalized = query.trim().toLowerCase().replace(/[\s　]+/g, ' ');
    return createHash('sha1').update(normalized).digest('hex');
  }
}

export function describeError(code: number): string {
  switch (code) {
    case 400: return '入力に誤りがあります。もう一度確認してください。';
    case 401: return 'ログインが必要です。';
    case 404: return '指定されたファイルは見つかりませんでした。';
    case 429: return '短時間に多くの要求がありました。しばらく待ってから再試行してください。';
    default: return '予期しない問題が発生しました。管理者に連絡してください。';
  }
}
