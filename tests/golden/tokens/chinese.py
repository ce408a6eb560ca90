# 订单服务：负责创建、查询和取消订单。
# 所有金额以分为单位保存，避免浮点数误差。
import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta

logger = logging.getLogger(__name__)


@dataclass
class OrderItem:
    """订单中的一行商品。数量必须大于零，单价不包含运费。"""

    sku: str
    quantity: int
    unit_price: int

    def total(self) -> int:
        # 小计等于数量乘以单价，优惠在订单级别计算
        return self.quantity * self.unit_price


@dataclass
class Order:
    """一个客户的订单，状态只能向前变化。"""

    customer_id: str
    items: list[OrderItem] = field(default_factory=list)
    created_at: datetime = field(default_factory=datetime.utcnow)
    status: str = "待付款"

    def is_expired(self, now: datetime) -> bool:
        # 超过三十分钟没有付款的订单会被自动关闭，库存随之释放
        return self.status == "待付款" and now - self.created_at > timedelta(minutes=30)


class OrderService:
    def __init__(self, repository, inventory, notifier):
        self.repository = repository  # 数据库访问
        self.inventory = inventory  # 库存接口
        self.notifier = notifier  # 短信和邮件通知

    def create(self, customer_id: str, items: list[OrderItem]) -> Order:
        """创建订单。

        先锁定库存，再写入数据库。如果写入失败，必须把锁定的库存还回去，
        否则其他客户会看到商品缺货。重复提交由请求编号去重。
        """
        if not items:
            raise ValueError("订单不能为空")
        for item in items:
            if item.quantity <= 0:
                raise ValueError(f"商品 {item.sku} 的数量无效：{item.quantity}")
        self.inventory.reserve(items)
        try:
            order = Order(customer_id, items)
            self.repository.save(order)
        except Exception:
            self.inventory.release(items)
            logger.exception("保存订单失败，库存已经释放")
            raise
        self.notifier.send(customer_id, "您的订单已经创建，请在三十分钟内完成支付。")
        return order

    def close_expired(self, now: datetime) -> int:
        """关闭所有过期订单，返回关闭的数量。由定时任务每分钟调用一次。"""
        count = 0
        for order in self.repository.find_unpaid():
            if order.is_expired(now):
                order.status = "已关闭"
                self.inventory.release(order.items)
                self.repository.save(order)
                count += 1
        logger.info("本次关闭了 %d 个过期订单", count)
        return count
