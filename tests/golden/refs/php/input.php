<?php
namespace App\Http;

use App\Models\User;
use App\Support\{Str, Arr as A};
use function App\helper;
use Illuminate\Http;

require_once __DIR__ . '/boot.php';

#[Route('/users', name: 'users')]
final class UserController extends Controller implements Jsonable
{
    use Loggable, Http\Macroable;

    const LIMIT = 10;
    private ?Repository $repo;
    public static $count = 0;

    public function __construct(private Mailer $mailer, Repository $repo)
    {
        $this->repo = $repo;
        self::$count++;
        parent::__construct();
    }

    public function show(int $id, User ...$others): ?User
    {
        $user = $this->repo->find($id);
        if (!$user instanceof User && count($others) > self::LIMIT) {
            throw new \InvalidArgumentException(helper($id));
        }
        foreach ($others as $key => $other) {
            $other->touch($key);
        }
        $made = new User(name: Str::upper('x'));
        $made->posts()->latest?->title;
        $names = array_map(fn ($u) => $u->name, $others);
        $call = function (Request $r) use ($made): static { return $r->merge($made); };
        $f = strlen(...);
        try { $this->mailer->send($made); } catch (MailError | \Exception $e) { Log::error($e->getMessage()); }
        Http\Client::get(A::first($names), static::class);
        [$a, $b] = $this->pair();
        return match (true) { $id > 1 => $made, default => User::DEFAULT };
    }
}

function boot(): UserController { return new UserController(new Mailer, app(Repository::class)); }
boot()->show(1);
