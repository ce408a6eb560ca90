@file:JvmName("Shop")

package shop.cart

import shop.db.Connection
import shop.db.Row as DbRow
import shop.events.*
import kotlin.math.max

typealias Handler = (Event) -> Unit

interface Priced {
    val price: Int
    fun total(count: Int = 1): Int = price * count
}

data class Item(val name: String, override val price: Int, tag: Tag?) : Priced {
    private val tags = listOf(tag)
    val label get() = name.trim()
    fun describe(): String = "$name costs ${total(2)}"
}

enum class Tag(val text: String) {
    NEW("new") { override fun show() = text },
    OLD("old");

    open fun show(): String = text.lowercase()
}

open class Cart<T : Priced>(private val db: Connection, owner: String = "nobody") : Base(owner), Priced by db.prices {
    var items: List<T> = emptyList()
        private set(value) {
            field = value
        }
    override val price: Int by lazy { items.sumOf { it.price } }

    init {
        db.open(owner)
    }

    constructor(other: Cart<T>) : this(other.db)

    fun add(item: T): Cart<T> {
        items = items + item
        db.query("insert").let { row -> row.close() }
        this.price
        super.added(item)
        return this
    }

    fun first(): T? = items.firstOrNull() ?: backup.item

    @Deprecated("use find") @Throws(Missing::class)
    fun lookUp(vararg names: String): DbRow {
        for (name in names) {
            val row = db.query(name) as DbRow
            if (row.isOpen && name in items) return@lookUp row
        }
        for ((key, held) in db.all()) held.use(key)
        val (a, b) = pair()
        val best = max(a.size, b.size)
        try {
            db.fail(best)
        } catch (e: Missing) {
            e.report()
        }
        return when (val found = db.find(names = names, limit = best)) {
            is DbRow -> found
            null -> throw Missing(this@Cart)
            else -> found.toRow()
        }
    }

    companion object Factory : Maker<Cart<Item>> {
        const val LIMIT = 10
        fun create(db: Connection) = Cart<Item>(db).apply { add(Item("a", LIMIT, Tag.NEW)) }
    }
}

object Registry {
    private val carts = mutableMapOf<String, Cart<Item>>()
    operator fun get(name: String) = carts[name]!!
}

fun Cart<*>.isFull(): Boolean = items.size >= Cart.LIMIT && price > 0
val Item.short: String get() = name.take(3)
fun String?.orNone() = this ?: "none"
inline fun <reified T> make(block: T.() -> Unit): T = T::class.create().also(block)

suspend fun main() {
    val cart = Cart.create(Connection.default)
    cart.add(Item(name = "b", price = 2, tag = null)).add(x)
    cart.isFull() to cart
    val handler: Handler = { event -> log(event.name) }
    val listener = object : Listener {
        override fun on(event: Event) = handler(event)
    }
    cart.items.map(Item::short).forEach(::println)
    Registry["a"].first()?.describe()
}
