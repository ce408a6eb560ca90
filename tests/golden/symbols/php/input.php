<?php

namespace Shop\Carts;

use Illuminate\Support\Str;
use Shop\{Tax, Item as Line};
require_once __DIR__ . '/helpers.php';

const VERSION = '1.0';

/**
 * What a customer wants.
 */
#[Entity]
abstract class Cart extends Base implements Countable
{
    use Macroable;

    public const MAX = 100;
    protected static $count = 0, $spare;
    private ?string $owner = null;

    /** Makes one. */
    public function __construct(private readonly array $items)
    {
    }

    // The sum.
    public static function total(float $tax): float
    {
        // inside
        $local = function ($x) use ($tax) {
            return $x;
        };
        return 0;
    }

    abstract protected function draw();
}

interface Draw
{
    public function draw(): void;
}

trait Counts
{
    private function bump() {}
}

enum Color: string
{
    case Red = 'red';
    case Green = 'green';

    public function next(): self { return self::Red; }
}

function helper(string $a): void
{
}
